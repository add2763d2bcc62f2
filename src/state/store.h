// Store: keeps the controller's state on disk. It has one writer. A batch is written whole or not
// at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster {

using BatchNumber = std::uint64_t;  // consecutive from 1; the position in the journal

// Events that are committed together.
struct Batch {
  BatchNumber number = 0;
  std::vector<std::string> events;  // encoded EventEntry, in order
  // hash -> bytes; a hash that is already stored is no error
  std::vector<std::pair<std::string, std::string>> blobs;
};

struct StoredState {
  BatchNumber snapshot_number = 0;  // 0 = no snapshot
  std::string snapshot;
  struct Entry {
    BatchNumber number;
    std::vector<std::string> events;
  };
  std::vector<Entry> journal;  // the batches after the snapshot, in order
};

enum class CommitOutcome : std::uint8_t { committed, disk_full, out_of_memory };

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<StoredState> load() = 0;

  // `committed`: the batch is durable. `disk_full`, `out_of_memory`: nothing was written; try again
  // later. After any other failure, which is an error, the store must not be used.
  virtual Result<CommitOutcome> commit(const Batch& batch) = 0;

  virtual Result<std::string> read_blob(std::string_view hash) = 0;

  // Replaces the snapshot and deletes the journal up to and including `number`. Blobs may be
  // deleted if their hash is not in `live_blobs` and they were not written after `number`.
  virtual Result<void> write_snapshot(BatchNumber number, std::string_view bytes,
                                      const std::vector<std::string>& live_blobs) = 0;
};

}  // namespace muster
