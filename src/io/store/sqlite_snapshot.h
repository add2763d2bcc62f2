// SnapshotFile: a snapshot of the state, in a file "snapshot-N", where N is the last batch that it
// includes. A new one is written next to the old one, synced, then renamed; the old one is removed
// last. Thanks to the header (magic, version, number, length, checksum), a damaged or newer file is
// refused with an error that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "state/store.h"

namespace muster::io {

// The few file operations that durability depends on. Tests replace them with a disk that loses
// power.
class DurableFiles {
 public:
  virtual ~DurableFiles() = default;
  virtual Result<std::vector<std::string>> list(const std::string& dir) = 0;  // names, unsorted
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Result<void> write(const std::string& path,
                             std::string_view bytes) = 0;  // not durable yet
  virtual Result<void> sync(const std::string& path) = 0;
  virtual Result<void> sync_dir(const std::string& dir) = 0;
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  virtual Result<void> remove(const std::string& path) = 0;  // a missing file is not an error
};

DurableFiles& system_files();

class SnapshotFile {
 public:
  SnapshotFile(std::string dir, DurableFiles& files) : dir_(std::move(dir)), files_(files) {}

  struct Content {
    BatchNumber number = 0;  // 0 = there is none
    std::string bytes;
  };
  // Reads the newest snapshot. If it is damaged, or of a newer version, that is an error; an older
  // one is never used instead.
  Result<Content> read() const;
  Result<BatchNumber> newest() const;  // by name only; 0 = none

  // Durable on return. After an error the old snapshot is still there.
  Result<void> write(BatchNumber number, std::string_view bytes);
  // Removes snapshots older than `number`, and the remains of an interrupted write.
  Result<void> remove_before(BatchNumber number);

 private:
  std::string path(BatchNumber number) const;
  std::string temporary_path() const;
  Result<std::vector<BatchNumber>> numbers() const;

  std::string dir_;
  DurableFiles& files_;
};

}  // namespace muster::io
