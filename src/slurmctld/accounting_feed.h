// AccountingFeed: tells the accounting file what has changed, on a thread of its own. It collects
// changes and writes them later, so that a job that changes often is written once.
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
  void add(accounting::AccountingPortion portion);
  void post(std::function<void()> work);  // to its thread
  std::size_t backlog() const;            // rows that are not written yet

  // --- on its thread ---
  AccountingStore& store() { return *store_; }
  bool feed(Rows which);  // false if writing failed
  const accounting::AccountingPortion& fed() const { return fed_; }

 private:
  void feed_later();
  Result<void> tell(Rows which);
  Result<void> write();

  std::unique_ptr<AccountingStore> store_;
  const controller::Timekeeper& timekeeper_;
  const std::atomic<bool>& stopping_;
  io::Loop* loop_ = nullptr;
  std::atomic<bool> feed_due_ = false, feeding_ = false;
  std::atomic<std::size_t> unwritten_ = 0;  // rows of fed_

  mutable std::mutex unfed_mutex_;  // guards the next member
  accounting::AccountingPortion unfed_;

  // On its thread: what it has written, or is writing.
  accounting::AccountingPortion fed_;
  std::string trouble_;  // why it could not, the last time
  std::chrono::steady_clock::time_point trouble_told_;
  accounting::WaitingRows waiting_rows_;

  std::unique_ptr<io::Worker> thread_;  // last: it uses what is above
};

}  // namespace muster::daemon
