// Allocations: which command keeps which allocation (srun alone, salloc), and which commands wait
// for a job or a step. An allocation whose command has gone is ended after a while.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "controller/allocation/waiter_list.h"
#include "controller/ledger/ledger.h"
#include "controller/planning/planning.h"
#include "wire/client_messages.h"

namespace muster::controller {

class Allocations {
 public:
  Allocations(Ledger& ledger, Host& host, const Planning& planning)
      : ledger_(ledger), host_(host), planning_(planning) {}

  // --- keepers ---
  // The client of this connection keeps the job, which ends some time after it has gone.
  void set_keeper(std::uint64_t connection, JobId job);
  void add_orphan(JobId job) { kept_[job] = {.orphaned = ledger_.now()}; }
  // The orphans whose time is up, and that have not ended by themselves.
  std::vector<JobId> lost_orphans();
  // A message for the command that keeps the allocation.
  Result<void> tell_keeper(const Job& job, const Text& message);

  // --- waiters ---
  void wait(ReplyTo to, Caller caller, const wire::WaitJobRequest& request);
  Result<void> wait_for_end(ReplyTo to, Caller caller, JobId job);
  void answer_waiters_of(const IdSet& changed);  // jobs that a commit has changed
  void answer_all_waiters();

  void on_client_closed(std::uint64_t connection);
  // Whether a silent client waits for something or keeps an allocation.
  bool serves(std::uint64_t connection) const {
    return waiters_.has_connection(connection) || job_of_.contains(connection);
  }
  // After events were undone, those of a request among them.
  void forget_undone();  // jobs that the state does not know any more
  void stop_waiting(ReplyTo to) { waiters_.remove(to); }
  void on_clock_step(Millis by);
  void on_standstill(Millis span);

 private:
  void answer_waiters(JobId job);
  bool is_answered(const Waiter& waiter);

  Ledger& ledger_;
  Host& host_;
  const Planning& planning_;
  WaiterList waiters_;
  struct Kept {
    std::uint64_t connection = 0;  // of its command; 0 = that has gone
    Time orphaned;                 // since when
  };
  std::map<JobId, Kept> kept_;
  std::map<std::uint64_t, JobId> job_of_;  // by the connection of the command that keeps it
};

}  // namespace muster::controller
