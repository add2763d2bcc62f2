// slurmdbd.conf: where slurmdbd listens, which database it uses, and how long it keeps what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/keys/settings.h"
#include "config/keys/source.h"
#include "model/accounts/private_data.h"

namespace muster::config {

enum class StorageType : std::uint8_t { mariadb, postgresql, sqlite };

// How long rows of a kind are kept after their end; and whether they are written to a file first.
struct Retention {
  Seconds keep{0};  // 0 = for ever
  bool archive = false;
};

struct DbdConf {
  std::string path;
  std::string host = "localhost", address;  // DbdHost, DbdAddr; empty = all addresses
  std::uint16_t port = kSlurmdbdPort;
  std::string slurm_user = "root";
  std::string munge_socket;  // a word of AuthInfo; empty = munge's own default
  std::string log_file, pid_file = "/run/slurmdbd.pid";
  std::string debug_level = "info", syslog_debug, log_time_format = "iso8601_ms", debug_flags;

  StorageType storage = StorageType::mariadb;
  std::string storage_host = "localhost", storage_user, storage_pass;
  std::uint16_t storage_port = 0;               // 0 = the usual one of the database
  std::string storage_place = "slurm_acct_db";  // the database's name; of SQLite the file
  std::string storage_socket;                   // a word of StorageParameters

  std::string archive_dir = "/tmp";
  Retention jobs, steps, transactions;
  PrivateData private_data;
  Seconds message_timeout{10};

  std::vector<std::string> ignored_keys;  // that were given and have no effect, each once
};

Result<DbdConf> load_dbd_conf(const FileReader& read, const std::string& path);

// "12months", "30days", "6hours", or a bare number of months, each of 30 days here.
std::optional<Seconds> parse_retention(std::string_view text);

}  // namespace muster::config
