// The snapshots of SqliteStore: writes a new snapshot, then removes what is no longer needed, in
// small portions so that commits can run in between.
#include <fmt/format.h>

#include <algorithm>

#include "io/store/sqlite_store.h"

namespace muster::io {

namespace {

constexpr std::int64_t kBatchesPerPortion = 200;
constexpr std::int64_t kBlobsPerPortion = 200;

}  // namespace

Result<void> SqliteStore::write_snapshot(BatchNumber number, std::string_view bytes,
                                         const std::vector<std::string>& live_blobs) {
  {
    std::lock_guard lock(mutex_);
    if (auto ok = usable(); !ok) return std::unexpected(ok.error());
    if (number > last_batch_ || number <= snapshot_number_)
      return fail(fmt::format("{}: no snapshot {} after snapshot {} and batch {}", database_.path(),
                              number, snapshot_number_, last_batch_));
  }
  // This takes long, so it runs without the mutex: commits go on meanwhile.
  if (auto written = snapshot_.write(number, bytes); !written) return written;
  {
    // From here on a missing snapshot file would be noticed, so the old one and the journal rows
    // can be removed.
    std::lock_guard lock(mutex_);
    auto noted = change(
        [&] { return statements_.set_snapshot.bind(1, static_cast<std::int64_t>(number)).run(); });
    if (!noted) return std::unexpected(noted.error());
    if (*noted != CommitOutcome::committed)
      return {};  // the next snapshot cleans up for this one as well
    snapshot_number_ = number;
  }
  if (auto removed = snapshot_.remove_before(number); !removed) return removed;

  for (bool more = true; more;) {
    auto some = forget_some_batches(number);
    if (!some) return std::unexpected(some.error());
    more = *some;
  }
  forget_blob_uses(number);
  std::vector<std::string> sorted_live = live_blobs;
  std::ranges::sort(sorted_live);
  std::int64_t position = 0;
  for (bool more = true; more;) {
    auto some = forget_some_blobs(number, sorted_live, position);
    if (!some) return std::unexpected(some.error());
    more = *some;
  }
  return {};
}

// Returns whether there may be more. On a full disk the rest waits for the next snapshot.
Result<bool> SqliteStore::forget_some_batches(BatchNumber up_to) {
  std::lock_guard lock(mutex_);
  if (auto ok = usable(); !ok) return std::unexpected(ok.error());
  std::int64_t gone = 0;
  auto outcome = change([&]() -> Result<void> {
    Statement& forget = statements_.forget_batches;
    ResetLater reset(forget);
    forget.bind(1, static_cast<std::int64_t>(up_to)).bind(2, kBatchesPerPortion);
    for (;;) {
      auto step = forget.step();
      if (!step) return std::unexpected(step.error());
      if (*step == Statement::Step::done) break;
      ++gone;
    }
    return statements_.forget_parts.bind(1, static_cast<std::int64_t>(up_to)).run();
  });
  if (!outcome) return std::unexpected(outcome.error());
  return *outcome == CommitOutcome::committed && gone == kBatchesPerPortion;
}

// From here on a commit that uses one of these blobs writes it again if it is gone.
void SqliteStore::forget_blob_uses(BatchNumber up_to) {
  std::lock_guard lock(mutex_);
  std::erase_if(blob_uses_, [&](const auto& use) { return use.second <= up_to; });
  known_blobs_ = {};
}

Result<bool> SqliteStore::forget_some_blobs(BatchNumber up_to,
                                            const std::vector<std::string>& sorted_live,
                                            std::int64_t& position) {
  std::lock_guard lock(mutex_);
  if (auto ok = usable(); !ok) return std::unexpected(ok.error());
  std::int64_t seen = 0;
  auto outcome = change([&]() -> Result<void> {
    std::vector<std::int64_t> dead;
    {
      ResetLater reset(statements_.list_blobs);
      Statement& list = statements_.list_blobs;
      list.bind(1, position).bind(2, static_cast<std::int64_t>(up_to)).bind(3, kBlobsPerPortion);
      for (;; ++seen) {
        auto step = list.step();
        if (!step) return std::unexpected(step.error());
        if (*step == Statement::Step::done) break;
        position = list.integer(0);
        const std::string hash(list.bytes(1));
        const auto use = blob_uses_.find(short_hash(hash));
        const bool used_since = use != blob_uses_.end() && use->second > up_to;
        if (!used_since && !std::ranges::binary_search(sorted_live, hash)) dead.push_back(position);
      }
    }
    for (std::int64_t row : dead)
      if (auto gone = statements_.forget_blob.bind(1, row).run(); !gone) return gone;
    return {};
  });
  if (!outcome) return std::unexpected(outcome.error());
  return *outcome == CommitOutcome::committed && seen == kBlobsPerPortion;
}

}  // namespace muster::io
