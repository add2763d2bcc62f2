// A disk that survives crashes of the controller. A commit takes time; if the controller crashes
// meanwhile, chance decides whether the batch was written, as with a real disk.
#pragma once

#include <string>
#include <vector>

#include "state/store.h"

namespace muster::sim {

class FakeDisk {
 public:
  bool full = false;

  void write(const Batch& batch) { batches_.push_back({batch.number, batch.events}); }
  StoredState load() const {
    StoredState state;
    state.snapshot_number = snapshot_number_;
    state.snapshot = snapshot_;
    for (const auto& entry : batches_)
      if (entry.number > snapshot_number_) state.journal.push_back(entry);
    return state;
  }
  void write_snapshot(BatchNumber number, std::string bytes) {
    snapshot_number_ = number;
    snapshot_ = std::move(bytes);
    std::erase_if(batches_, [&](const auto& entry) { return entry.number <= number; });
  }
  BatchNumber last() const { return batches_.empty() ? snapshot_number_ : batches_.back().number; }

 private:
  std::vector<StoredState::Entry> batches_;
  BatchNumber snapshot_number_ = 0;
  std::string snapshot_;
};

}  // namespace muster::sim
