// A database in a file, which every machine has; the servers are tests/e2e's.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "slurmdbd/store/databases.h"
#include "slurmdbd/store/sql_schema.h"

namespace muster::dbd {

struct FileDatabase {
  FileDatabase() {
    std::string pattern = std::filesystem::temp_directory_path() / "muster-dbd-XXXXXX";
    directory = mkdtemp(pattern.data());
    conf.storage = config::StorageType::sqlite;
    conf.storage_place = directory + "/file.db";
    conf.archive_dir = directory + "/archive";
  }
  ~FileDatabase() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  FileDatabase(const FileDatabase&) = delete;
  FileDatabase& operator=(const FileDatabase&) = delete;

  std::string directory;
  config::DbdConf conf;
};

}  // namespace muster::dbd
