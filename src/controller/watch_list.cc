#include "controller/watch_list.h"

namespace muster::controller {

namespace {

bool has_conditions(const Job& job) {
  return is_set(job.spec->deadline) || !job.spec->dependency.empty();
}

// The jobs whose state or specification the event may have changed in a way that matters here.
struct Changed {
  std::vector<JobId> operator()(const JobSubmitted& e) const { return {e.job.id}; }
  std::vector<JobId> operator()(const TaskSplit& e) const { return {e.id}; }
  std::vector<JobId> operator()(const JobUpdated& e) const { return {e.job}; }
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
  if (is_ended(job.state))
    ended_.emplace(job.ended, job.id);
  else if (has_conditions(job)) {
    auto [at, is_new] = conditional_.try_emplace(job.id);
    if (!is_new && at->second == job.spec->dependency) return;
    count(job.spec->dependency);
    uncount(std::exchange(at->second, job.spec->dependency));
  }
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

std::vector<JobId> WatchList::take_unneeded(const Cluster& cluster) {
  conditional(cluster);  // counts those no longer that have gone
  return std::exchange(unneeded_, {});
}

void WatchList::make_anew(const Cluster& cluster) {
  *this = {};
  cluster.jobs.each([&](const Job& job) { note(job); });
  // Who needed these may have gone just before.
  cluster.outcomes.each([&](const JobOutcome& outcome) { unneeded_.push_back(outcome.id); });
}

void WatchList::follow(const Cluster& after, const Event& event) {
  for (JobId id : std::visit(Changed{}, event))
    if (const Job* job = after.jobs.find(id)) note(*job);
}

const std::map<JobId, Dependency>& WatchList::conditional(const Cluster& cluster) {
  std::erase_if(conditional_, [&](const auto& entry) {
    if (cluster.pending.contains(entry.first.value)) return false;
    uncount(entry.second);
    return true;
  });
  return conditional_;
}

std::vector<JobId> WatchList::take_ended_before(Time time) {
  std::vector<JobId> old;
  auto last = ended_.upper_bound({time, JobId{0xffffffffu}});
  for (auto at = ended_.begin(); at != last; ++at) old.push_back(at->second);
  ended_.erase(ended_.begin(), last);
  return old;
}

}  // namespace muster::controller
