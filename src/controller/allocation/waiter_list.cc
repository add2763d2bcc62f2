// Keeps waiters sorted by job, with an index by connection.
#include "controller/allocation/waiter_list.h"

#include <algorithm>

namespace muster::controller {

Result<void> WaiterList::add(const Waiter& waiter) {
  auto is_same = [&](const Waiter& other) {
    return other.to.connection == waiter.to.connection && other.step == waiter.step &&
           other.until_started == waiter.until_started && other.until_ready == waiter.until_ready;
  };
  const auto mine = jobs_of_.find(waiter.to.connection);
  if (mine != jobs_of_.end() && mine->second.contains(waiter.job) &&
      std::ranges::any_of(by_job_.at(waiter.job), is_same))
    return fail("this connection waits for that job already");
  if (count_[waiter.user] >= kMostPerUser)
    return fail("too many requests of this user wait for jobs: " + std::to_string(kMostPerUser) +
                " may");
  ++count_[waiter.user];
  by_job_[waiter.job].push_back(waiter);
  jobs_of_[waiter.to.connection].insert(waiter.job);
  return {};
}

void WaiterList::forget(const Waiter& waiter) {
  if (--count_[waiter.user] == 0) count_.erase(waiter.user);
  auto& jobs = jobs_of_[waiter.to.connection];
  jobs.erase(jobs.find(waiter.job));
  if (jobs.empty()) jobs_of_.erase(waiter.to.connection);
}

void WaiterList::remove_if(JobId job, const std::function<bool(const Waiter&)>& is_over) {
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return;
  std::erase_if(found->second, [&](const Waiter& waiter) {
    if (!is_over(waiter)) return false;
    forget(waiter);
    return true;
  });
  if (found->second.empty()) by_job_.erase(found);
}

void WaiterList::remove_connection(std::uint64_t connection) {
  const auto found = jobs_of_.find(connection);
  if (found == jobs_of_.end()) return;
  const std::set<JobId> jobs(found->second.begin(), found->second.end());
  for (const JobId job : jobs)
    remove_if(job, [&](const Waiter& waiter) { return waiter.to.connection == connection; });
}

const Waiter* WaiterList::find(std::uint64_t connection, JobId job) const {
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return nullptr;
  const auto waiter = std::ranges::find(found->second, connection,
                                        [](const Waiter& each) { return each.to.connection; });
  return waiter == found->second.end() ? nullptr : &*waiter;
}

std::vector<JobId> WaiterList::jobs() const {
  std::vector<JobId> all;
  all.reserve(by_job_.size());
  for (const auto& [job, waiters] : by_job_) all.push_back(job);
  return all;
}

}  // namespace muster::controller
