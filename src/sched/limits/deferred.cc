// Notes what each deferred job waits for, and finds the jobs that a change concerns.
#include "sched/limits/deferred.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "sched/gate/gate.h"

namespace muster::sched {

namespace {

JobId array_or_job(const Job& job) { return job.array_id ? job.array_id : job.id; }

// after:JOB+MINUTES: when the delay will have passed for this record; Time::max() if it has not
// started, or if it has passed already.
Time passes_at(const Condition& condition, const Job& other, Time now) {
  if (other.state == JobState::pending) return Time::max();
  const Time from = is_ended(other.state) && !other.attempt ? other.run->ended : other.run->started;
  return from + condition.delay > now ? from + condition.delay : Time::max();
}

// The same for the job of a condition; the earliest time if it is an array with several records.
Time passes_at(const Cluster& cluster, const Condition& condition, Time now) {
  if (condition.kind != DependencyKind::after) return Time::max();
  const Job* other = cluster.jobs.find(condition.job);
  if (const JobOutcome* gone = cluster.outcomes.find(condition.job)) {
    const Time at = (gone->has_run ? gone->started : gone->ended) + condition.delay;
    return at > now ? at : Time::max();
  }
  if (!other) return Time::max();
  Time first = passes_at(condition, *other, now);
  const Job* record = other->array_id ? cluster.jobs.find(other->array_id) : nullptr;
  if (!record) return first;
  record->array->task_jobs.each([&](std::uint32_t id) {
    if (const Job* task = cluster.jobs.find(JobId{id}))
      first = std::min(first, passes_at(condition, *task, now));
  });
  return first;
}

// Whether two versions of a record are equal for the jobs that depend on it. Steps, for example, do
// not matter.
bool look_alike(const Job& a, const Job& b) {
  auto seen = [](const Job& job) {
    return std::tuple(job.state, job.run->started, job.run->ended, job.completing(),
                      job.waiting_tasks.empty());
  };
  return seen(a) == seen(b) && a.own.name == b.own.name;
}

template <class Map, class Key>
void erase_from(Map& map, const Key& key, JobId job) {
  auto at = map.find(key);
  if (at == map.end()) return;
  at->second.erase(job.value);
  if (at->second.empty()) map.erase(at);
}

}  // namespace

std::vector<JobId> Deferred::ids() const {
  std::vector<JobId> all;
  all.reserve(jobs_.size());
  for (const auto& [id, kept] : jobs_)
    if (!limits_.contains(id)) all.emplace_back(id);
  std::ranges::sort(all);
  return all;
}

bool Deferred::look_at(const Cluster& cluster, const Job& job, Time now) {
  forget(job.id);
  if (job.is_het() || is_eligible(cluster, job, now)) return false;
  Kept kept = what_it_waits_for(cluster, job, now);
  if (kept.due != Time::max()) due_.emplace(kept.due, job.id);
  const Others& others = *kept.waited_for;
  for (const Target& target : others.targets) dependents_[target].insert(job.id.value);
  if (others.name) singletons_[*others.name].insert(job.id.value);
  if (is_hopeless(cluster, job, now)) hopeless_.insert(job.id.value);
  jobs_.emplace(job.id.value, std::move(kept));
  return true;
}

void Deferred::defer(JobId job, const LimitScopeKey& full, Text words) {
  forget(job);
  limits_met_.put(job, std::move(words));
  limited_[full].insert(job.value);
  limits_.emplace(job.value, full);
  jobs_.emplace(job.value, Kept{});
}

// The job has ended, holds less than before, or now counts for other limits.
bool Deferred::may_count_less(const Job& was, const Job* is) {
  if (!is_active(was.state)) return false;
  if (!is || !is_active(is->state)) return true;
  if (was.qos != is->qos || was.account != is->account || was.partitions != is->partitions)
    return true;
  if (was.spec->licenses != is->spec->licenses) return true;
  const auto &before = was.run->allocation, &now = is->run->allocation;
  return &before != &now && before != now;
}

// The limits for which the job counts, so that its end may let another job start.
std::vector<LimitScopeKey> Deferred::keys_of(const Cluster& cluster, const Job& job) {
  std::vector<LimitScopeKey> keys;
  const LimitSources sources(cluster);
  for (const LimitSource& source : sources.for_job(job, cluster.partition_of(job)))
    for (const LimitScopeKey* key : {&source.group, &source.user, &source.account})
      if (std::ranges::find(keys, *key) == keys.end()) keys.push_back(*key);
  return keys;
}

void Deferred::forget(JobId job) {
  auto at = jobs_.find(job.value);
  if (at == jobs_.end()) return;
  const Kept& kept = at->second;
  if (kept.due != Time::max()) due_.erase({kept.due, job});
  const Others& others = *kept.waited_for;
  for (const Target& target : others.targets) erase_from(dependents_, target, job);
  if (others.name) erase_from(singletons_, *others.name, job);
  if (auto limit = limits_.find(job.value); limit != limits_.end()) {
    erase_from(limited_, limit->second, job);
    limits_.erase(limit);
    limits_met_.erase(job);
  }
  hopeless_.erase(job.value);
  jobs_.erase(at);
}

// A held job only waits for a change of its own record; everything else is examined after that.
Deferred::Kept Deferred::what_it_waits_for(const Cluster& cluster, const Job& job, Time now) {
  Kept kept;
  if (job.hold != Hold::none) return kept;
  if (job.eligible > now) kept.due = job.eligible;
  const auto& dependencies = job.own.dependency.parsed();
  if (!dependencies || dependencies->conditions.empty()) return kept;
  Others& others = kept.waited_for.edit();
  for (const Condition& condition : dependencies->conditions) {
    if (condition.kind == DependencyKind::singleton) {
      others.name = {job.spec->uid, job.own.name};
      continue;
    }
    kept.due = std::min(kept.due, passes_at(cluster, condition, now));
    const Job* other = cluster.jobs.find(condition.job);
    if (!other) continue;  // long gone
    // The id of a task's own record means that task; the id of the array means the whole array.
    const std::uint32_t task = other->array_id == other->id ? kNoTask : other->task_id;
    others.targets.emplace_back(array_or_job(*other), condition.task.value_or(task));
    if (condition.kind == DependencyKind::after_corr && job.task_id != kNoTask)
      others.targets.emplace_back(array_or_job(*other), job.task_id);
  }
  std::ranges::sort(others.targets);
  const auto again = std::ranges::unique(others.targets);
  others.targets.erase(again.begin(), again.end());
  return kept;
}

Deferred::Lists Deferred::waiting_for(const Cluster& cluster, const Job* was, const Job* is) const {
  Lists found;
  if (was && is) {
    IdSet left = was->waiting_tasks;  // tasks that have started or were cancelled
    left.subtract(is->waiting_tasks);
    add_tasks(is->id, left, found);
    if (look_alike(*was, *is)) return found;
  }
  for (const Job* record : {was, is})
    if (record) add_all(cluster, *record, found);
  return found;
}

void Deferred::add_tasks(JobId array, const IdSet& tasks, Lists& found) const {
  if (tasks.empty()) return;
  auto at = dependents_.lower_bound(Target{array, tasks.min()});
  for (; at != dependents_.end() && at->first.first == array && at->first.second <= tasks.max();
       ++at)
    if (tasks.contains(at->first.second)) found.push_back(&at->second);
}

// Jobs that depend on a whole array are not concerned while some of its tasks still wait.
void Deferred::add_all(const Cluster& cluster, const Job& changed, Lists& found) const {
  auto add = [&](const auto& map, const auto& key) {
    if (auto at = map.find(key); at != map.end()) found.push_back(&at->second);
  };
  const JobId id = array_or_job(changed);
  const Job* record = cluster.jobs.find(id);
  if (!record || !record->is_array_record() || is_ended(record->state))
    add(dependents_, Target{id, kNoTask});
  if (changed.task_id != kNoTask) add(dependents_, Target{id, changed.task_id});
  // A change of the array's own record may concern any of its tasks.
  if (id == changed.id) add_tasks(id, IdSet::range(0, kNoTask - 1), found);
  if (!singletons_.empty()) add(singletons_, SameName{changed.spec->uid, changed.own.name});
}

}  // namespace muster::sched
