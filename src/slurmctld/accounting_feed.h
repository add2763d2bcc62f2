// AccountingFeed: writes changes to the accounting file on a thread of its own. It collects changes
// and writes them later, so that a job that changes often is written once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "accounting/waiting_rows.h"
#include "base/result.h"
#include "controller/timekeeper.h"
#include "io/loop/loop.h"
#include "io/loop/worker.h"
#include "state/accounting_store.h"

namespace muster::daemon {

class AccountingFeed {
 public:
  enum class Rows : std::uint8_t { due, all };

  // Without a store nothing is fed. Once `stopping` is set, the loop leaves the feed alone.
  AccountingFeed(std::unique_ptr<AccountingStore> store, const controller::Timekeeper& timekeeper,
                 const std::atomic<bool>& stopping)
      : store_(std::move(store)), timekeeper_(timekeeper), stopping_(stopping) {}

  bool has_store() const { return store_ != nullptr; }
  void start(io::Loop& loop);
  void stop();
  void add(accounting::AccountingDelta delta);
  void post(std::function<void()> work);  // to its thread
  // To be told, on the loop, that writing begins to fail (true) or works again.
  void on_trouble(std::function<void(bool)> told) { on_trouble_ = std::move(told); }
  // To be told, on its thread, that rows were written.
  void on_written(std::function<void()> told) { on_written_ = std::move(told); }
  std::size_t backlog() const;  // rows that are not written yet
  void keep_usage();            // from now on usage is made known at each full hour

  // --- on its thread ---
  AccountingStore& store() { return *store_; }
  bool feed(Rows which);       // false if writing failed
  Result<void> roll_up_all();  // makes all usage known that there can be
  const accounting::AccountingDelta& ingested() const { return ingested_; }

 private:
  void feed_later();
  void roll_up_at_the_hour();
  void roll_up_some();
  void tell_trouble(bool failed);
  Result<void> tell(Rows which);
  Result<void> write();

  std::unique_ptr<AccountingStore> store_;
  const controller::Timekeeper& timekeeper_;
  const std::atomic<bool>& stopping_;
  io::Loop* loop_ = nullptr;
  std::function<void(bool)> on_trouble_;
  std::function<void()> on_written_;
  std::atomic<bool> feed_due_ = false, feeding_ = false;
  std::atomic<std::size_t> unwritten_ = 0;  // rows of ingested_

  mutable std::mutex queued_mutex_;  // guards the next member
  accounting::AccountingDelta queued_;

  // On its thread: what it has written, or is writing.
  accounting::AccountingDelta ingested_;
  std::string trouble_;  // why writing failed the last time
  std::chrono::steady_clock::time_point trouble_told_;
  accounting::WaitingRows waiting_rows_;

  std::unique_ptr<io::Worker> thread_;  // last, because it uses the members above
};

}  // namespace muster::daemon
