// Batches whose content follows from their number, so that what a store returns can be checked.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "state/store.h"

namespace muster::io {

class TempDir {
 public:
  TempDir() {
    std::string pattern = std::filesystem::temp_directory_path() / "muster-store-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string blob_hash(BatchNumber n) { return "hash-" + std::to_string(n); }
inline std::string blob_bytes(BatchNumber n) {
  return std::string(100 * n, 'b') + std::to_string(n);
}
inline std::string snapshot_bytes(BatchNumber n) {
  return std::string(5000, 's') + std::to_string(n);
}
inline Batch make_batch(BatchNumber n) {
  Batch batch;
  batch.number = n;
  for (BatchNumber i = 0; i <= n % 4; ++i)
    batch.events.push_back(std::string(n % 5 == 0 ? 9000 : 40, 'e') + std::to_string(n * 10 + i));
  batch.blobs.emplace_back(blob_hash(n), blob_bytes(n));
  return batch;
}

}  // namespace muster::io
