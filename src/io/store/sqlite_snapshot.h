// The snapshot of the state as a file of its own: "snapshot-N", N being the last batch it includes.
// A new one is written beside the old, made durable, then renamed; the old one goes last. The
// header (magic, version, number, length, checksum) lets a damaged or newer file be refused by
// name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "state/store.h"

namespace muster::io {

// The few file operations that durability rests on; the tests put a disk that loses power behind
// it.
class DurableFiles {
 public:
  virtual ~DurableFiles() = default;
  virtual Result<std::vector<std::string>> list(const std::string& dir) = 0;  // names, in no order
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Result<void> write(const std::string& path,
                             std::string_view bytes) = 0;  // not durable yet
  virtual Result<void> sync(const std::string& path) = 0;
  virtual Result<void> sync_dir(const std::string& dir) = 0;
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  virtual Result<void> remove(const std::string& path) = 0;  // a missing file is no error
};

DurableFiles& system_files();

class SnapshotFile {
 public:
  SnapshotFile(std::string dir, DurableFiles& files) : dir_(std::move(dir)), files_(files) {}

  struct Content {
    BatchNumber number = 0;  // 0 = there is none
    std::string bytes;
  };
  // The newest one. A damaged or newer-versioned file is an error, never passed over for an older
  // one.
  Result<Content> read() const;
  Result<BatchNumber> newest() const;  // by name only; 0 = none

  // Durable when it returns. On an error the snapshot that was there before is still there.
  Result<void> write(BatchNumber number, std::string_view bytes);
  // Removes snapshots older than `number` and what an interrupted write left.
  Result<void> remove_before(BatchNumber number);

 private:
  std::string path(BatchNumber number) const;
  std::string temporary_path() const;
  Result<std::vector<BatchNumber>> numbers() const;

  std::string dir_;
  DurableFiles& files_;
};

}  // namespace muster::io
