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
  // The client of this connection keeps the job. When the client has gone, the job ends after a
  // while.
  void set_keeper(std::uint64_t connection, JobId job) { keeper_[connection] = job; }
  void remove_keeper(JobId job);
  void add_orphan(JobId job) { orphans_[job] = ledger_.now(); }
  // Orphaned jobs whose time is up and that have not ended by themselves.
  std::vector<JobId> take_lost_orphans();
  // Sends a message to the command that keeps the allocation.
  Result<void> tell_keeper(const Job& job, const Text& message);

  // --- waiters ---
  void wait(ReplyTo to, Caller caller, const wire::WaitJobRequest& request);
  Result<void> wait_for_end(ReplyTo to, Caller caller, JobId job);
  void answer_waiters_of(const IdSet& changed);  // jobs that a commit has changed
  void answer_all_waiters();

  void on_client_closed(std::uint64_t connection);
  // Whether a silent client waits for something or keeps an allocation.
  bool serves(std::uint64_t connection) const {
    return waiters_.has_connection(connection) || keeper_.contains(connection);
  }
  void forget_undone();  // jobs that the state no longer knows
  void on_clock_step(Millis by);
  void on_standstill(Millis span);

 private:
  void answer_waiters(JobId job);
  bool is_answered(const Waiter& waiter);

  Ledger& ledger_;
  Host& host_;
  const Planning& planning_;
  WaiterList waiters_;
  std::map<std::uint64_t, JobId> keeper_;  // by its connection
  std::map<JobId, Time> orphans_;          // the time since which nobody keeps it
};

}  // namespace muster::controller
