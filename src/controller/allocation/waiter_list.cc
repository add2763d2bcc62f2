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
  const auto count = count_.find(waiter.user);
  if (count != count_.end() && count->second >= kMostPerUser)
    return fail("too many requests of this user wait for jobs: " + std::to_string(kMostPerUser) +
                " may");
  // Entries that are made here in vain hold nothing.
  std::size_t& mine_in_all = count_[waiter.user];
  std::multiset<JobId>& jobs = jobs_of_[waiter.to.connection];
  std::vector<Waiter>& waiters = by_job_[waiter.job];
  waiters.push_back(waiter);
  try {
    jobs.insert(waiter.job);
  } catch (...) {
    waiters.pop_back();
    throw;
  }
  ++mine_in_all;
  return {};
}

void WaiterList::remove_those_over(JobId job) {
  const auto found = by_job_.find(job);
  std::erase_if(found->second, [&](const Waiter& waiter) {
    if (!waiter.is_over) return false;
    if (--count_[waiter.user] == 0) count_.erase(waiter.user);
    auto& jobs = jobs_of_[waiter.to.connection];
    jobs.erase(jobs.find(job));
    if (jobs.empty()) jobs_of_.erase(waiter.to.connection);
    return true;
  });
  if (found->second.empty()) by_job_.erase(found);
}

void WaiterList::remove_if(JobId job, const std::function<bool(const Waiter&)>& is_over) {
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return;
  try {
    for (Waiter& waiter : found->second) waiter.is_over = is_over(waiter);
  } catch (...) {
    remove_those_over(job);
    throw;
  }
  remove_those_over(job);
}

void WaiterList::remove_connection(std::uint64_t connection) {
  auto is_mine = [&](const Waiter& waiter) { return waiter.to.connection == connection; };
  for (auto mine = jobs_of_.find(connection); mine != jobs_of_.end();
       mine = jobs_of_.find(connection)) {
    if (mine->second.empty())
      jobs_of_.erase(mine);
    else
      remove_if(*mine->second.begin(), is_mine);
  }
}

void WaiterList::remove(ReplyTo to) {
  const auto mine = jobs_of_.find(to.connection);
  if (mine == jobs_of_.end()) return;
  auto is_it = [&](const Waiter& waiter) {
    return waiter.to.connection == to.connection && waiter.to.request == to.request;
  };
  const auto has_it = [&](JobId job) { return std::ranges::any_of(by_job_.at(job), is_it); };
  const auto job = std::ranges::find_if(mine->second, has_it);
  if (job != mine->second.end()) remove_if(JobId{*job}, is_it);
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
