// WaiterList: the commands that wait for a job or a step (sbatch -W, srun, salloc), found by job
// and by connection. A user can have only a limited number of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "controller/ledger/host.h"

namespace muster::controller {

struct Waiter {
  ReplyTo to;
  JobId job;
  bool until_started = false;
  std::optional<StepId> step = {};  // waits for the end of this step, not of the job
  bool until_ready = false;
  Uid user = {};
  bool is_over = false;
};

class WaiterList {
 public:
  static constexpr std::size_t kMostPerUser = 10000;

  // A connection waits only once for each end. Fails if the user has too many waiters.
  Result<void> add(const Waiter& waiter);
  void remove_connection(std::uint64_t connection);
  void remove(ReplyTo to);
  bool has_connection(std::uint64_t connection) const { return jobs_of_.contains(connection); }
  // Removes the job's waiters for which `is_over` is true, even if it throws at one of them.
  void remove_if(JobId job, const std::function<bool(const Waiter&)>& is_over);
  const Waiter* find(std::uint64_t connection, JobId job) const;  // the first one
  std::vector<JobId> jobs() const;
  bool empty() const { return by_job_.empty(); }

 private:
  void remove_those_over(JobId job);

  std::map<JobId, std::vector<Waiter>> by_job_;
  std::map<std::uint64_t, std::multiset<JobId>> jobs_of_;  // by connection
  std::map<Uid, std::size_t> count_;
};

}  // namespace muster::controller
