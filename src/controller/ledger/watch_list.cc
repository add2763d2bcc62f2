// Updates the watch list after each event.
#include "controller/ledger/watch_list.h"

namespace muster::controller {

namespace {

// The jobs whose relevant data the event may have changed.
struct Changed {
  std::vector<JobId> operator()(const JobSubmitted& e) const { return {e.job.id}; }
  std::vector<JobId> operator()(const TaskSplit& e) const { return {e.id}; }
  std::vector<JobId> operator()(const JobUpdated& e) const { return {e.job}; }
  std::vector<JobId> operator()(const JobStarted& e) const { return {e.job}; }
  std::vector<JobId> operator()(const JobRequeued& e) const { return {e.job}; }
  std::vector<JobId> operator()(const JobEnded& e) const { return {e.job}; }
  std::vector<JobId> operator()(const PendingJobsEnded& e) const {
    std::vector<JobId> jobs;
    for (std::uint32_t id : e.jobs.ids()) jobs.emplace_back(id);
    return jobs;
  }
  template <class Other>
  std::vector<JobId> operator()(const Other&) const {
    return {};
  }
};

}  // namespace

void WatchList::note(const Job& job) {
  const bool waits = job.state == JobState::pending;
  if (is_ended(job.state)) ended_.emplace(job.run->ended, job.id);
  if (waits && is_set(job.spec->deadline))
    with_deadline_.insert(job.id);
  else
    with_deadline_.erase(job.id);
  set_dependency(job.id, waits ? job.own.dependency : Dependency{});
}

void WatchList::set_dependency(JobId job, const Dependency& dependency) {
  auto at = dependencies_.find(job);
  if (at == dependencies_.end() ? dependency.empty() : at->second == dependency) return;
  count(dependency);  // first, so that a job that is still needed is not listed as unneeded
  if (at != dependencies_.end()) uncount(std::exchange(at->second, dependency));
  if (dependency.empty())
    dependencies_.erase(job);
  else
    dependencies_.try_emplace(job, dependency);
}

void WatchList::count(const Dependency& dependency) {
  if (const auto& parsed = dependency.parsed())
    for (const Condition& condition : parsed->conditions)
      if (condition.job) ++needed_[condition.job];
}

void WatchList::uncount(const Dependency& dependency) {
  const auto& parsed = dependency.parsed();
  if (!parsed) return;
  for (const Condition& condition : parsed->conditions)
    if (auto at = needed_.find(condition.job); at != needed_.end() && --at->second == 0) {
      unneeded_.push_back(at->first);
      needed_.erase(at);
    }
}

void WatchList::make_anew(const Cluster& cluster) {
  *this = {};
  cluster.jobs.each([&](const Job& job) { note(job); });
  // The jobs that needed these may have gone just before.
  cluster.outcomes.each([&](const JobOutcome& outcome) { unneeded_.push_back(outcome.id); });
}

void WatchList::follow(const Cluster& after, const Event& event) {
  for (JobId id : std::visit(Changed{}, event))
    if (const Job* job = after.jobs.find(id)) note(*job);
}

std::vector<JobId> WatchList::take_ended_before(Time time) {
  std::vector<JobId> old;
  auto last = ended_.upper_bound({time, JobId{0xffffffffu}});
  for (auto at = ended_.begin(); at != last; ++at) old.push_back(at->second);
  ended_.erase(ended_.begin(), last);
  return old;
}

}  // namespace muster::controller
