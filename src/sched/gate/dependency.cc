// Evaluates dependencies against jobs, array tasks, and outcomes of jobs whose records are gone.
#include "sched/gate/dependency.h"

#include <algorithm>
#include <set>

namespace muster::sched {

namespace {

// What a dependency needs to know about another job, from its record or from its outcome.
struct Other {
  JobId id, array_id;
  JobState state = JobState::pending;
  bool stands_for_tasks = false;  // the record of an array whose tasks wait
  bool completing = false, has_run = false;
  Time started, ended;
  bool some_task_failed = false;
};

Other seen(const Job& job) {
  return {.id = job.id,
          .array_id = job.array_id,
          .state = job.state,
          .stands_for_tasks = job.is_array_record() && !is_ended(job.state),
          .completing = job.completing(),
          .has_run = static_cast<bool>(job.attempt),
          .started = job.run->started,
          .ended = job.run->ended,
          // Records of tasks that ended long ago may be gone.
          .some_task_failed = job.array->exits.max_code > 0 || job.array->exits.max_signal > 0};
}

std::optional<Other> find_other(const Cluster& cluster, JobId id) {
  if (const Job* job = cluster.jobs.find(id)) return seen(*job);
  const JobOutcome* outcome = cluster.outcomes.find(id);
  if (!outcome) return std::nullopt;
  return Other{.id = outcome->id,
               .array_id = outcome->array_id,
               .state = outcome->state,
               .has_run = outcome->has_run,
               .started = outcome->started,
               .ended = outcome->ended,
               .some_task_failed = outcome->some_task_failed};
}

std::optional<Other> find_task(const Cluster& cluster, JobId array, std::uint32_t task) {
  if (const Job* job = cluster.find_task(array, task)) return seen(*job);
  if (const JobOutcome* outcome = cluster.outcomes.find(array); outcome && outcome->task_id == task)
    return find_other(cluster, array);
  const TaskIndex* index = cluster.task_index(array);
  const JobId* job = index ? index->find(TaskId{task}) : nullptr;
  return job ? find_other(cluster, *job) : std::nullopt;
}

// The time for which conditions are evaluated. For a time in the past, jobs that ended since then
// count as still running.
struct Moment {
  Time now;
  bool is_past = false;

  bool is_over(const Other& other) const {
    return is_ended(other.state) && !other.completing && (!is_past || other.ended <= now);
  }
};

// Evaluates a condition for one job, which is never an array record.
Fulfilment evaluate_for_job(const Condition& c, const Other& other, Moment at) {
  if (c.kind == DependencyKind::after) {
    if (other.state == JobState::pending) return Fulfilment::waiting;
    // It may have been cancelled before a start.
    Time from = is_ended(other.state) && !other.has_run ? other.ended : other.started;
    return at.now >= from + c.delay ? Fulfilment::met : Fulfilment::waiting;
  }
  if (!at.is_over(other)) return Fulfilment::waiting;
  bool completed = other.state == JobState::completed;
  switch (c.kind) {
    case DependencyKind::after_ok:
    case DependencyKind::after_corr:
      return completed ? Fulfilment::met : Fulfilment::never;
    case DependencyKind::after_not_ok:
      return completed ? Fulfilment::never : Fulfilment::met;
    default:
      return Fulfilment::met;
  }
}

// Evaluates a condition for a whole array: every task must meet it, except that one failed task is
// enough for afternotok. Nothing is decided before all tasks have ended, because a failed task may
// be requeued.
Fulfilment evaluate_for_array(const Cluster& cluster, const Condition& c, const Other& record,
                              Moment at) {
  bool some_wait = false, some_met = false, some_never = false;
  auto add = [&](const Other& job) {
    const Fulfilment f = job.stands_for_tasks ? Fulfilment::waiting : evaluate_for_job(c, job, at);
    some_wait |= f == Fulfilment::waiting;
    some_met |= f == Fulfilment::met;
    some_never |= f == Fulfilment::never;
    return !some_wait;
  };
  const TaskIndex* index = cluster.task_index(record.id);
  if (add(record) && index)
    index->each_from(TaskId{0}, [&](JobId id) {
      const auto task = find_other(cluster, id);
      return !task || add(*task);
    });
  if (some_wait) return Fulfilment::waiting;
  if (c.kind == DependencyKind::after_not_ok)
    return some_met || record.some_task_failed ? Fulfilment::met : Fulfilment::never;
  return some_never ? Fulfilment::never : Fulfilment::met;
}

Fulfilment evaluate_condition(const Cluster& cluster, const Job& job, const Condition& c,
                              std::optional<std::uint32_t> own_task, Moment at) {
  const auto other = find_other(cluster, c.job);
  if (!other) return Fulfilment::met;  // unknown or long gone
  const bool same_task = c.kind == DependencyKind::after_corr && !c.task;
  std::optional<std::uint32_t> task = c.task;
  if (same_task)
    task =
        own_task ? own_task : (job.task_id == kNoTask ? std::nullopt : std::optional(job.task_id));
  if (task && other->array_id) {
    const auto one = find_task(cluster, other->array_id, *task);
    if (one && one->stands_for_tasks) return Fulfilment::waiting;
    if (one) return evaluate_for_job(c, *one, at);
    if (!same_task) return Fulfilment::met;  // it has no task of that number
  }
  if (other->array_id == other->id) return evaluate_for_array(cluster, c, *other, at);
  return evaluate_for_job(c, *other, at);
}

// A task is as old as its array: its own id may be younger than that of a job that waits for it.
JobId submitted_as(const Job& job) { return job.array_id ? job.array_id : job.id; }

// No earlier job of the same name and user is left. Tasks of one array, and components of one
// heterogeneous job, do not wait for each other.
bool singleton_met(const Cluster& cluster, const Job& job) {
  bool met = true;
  auto look = [&](const IdSet& ids) {
    for (std::uint32_t id : ids.ids()) {
      const Job& other = cluster.jobs.at(JobId{id});
      if (submitted_as(other) >= submitted_as(job)) continue;
      if (job.is_het() && other.het_id == job.het_id) continue;
      if (other.spec->uid == job.spec->uid && other.own.name == job.own.name) met = false;
    }
  };
  look(cluster.active);
  if (met) look(cluster.pending);
  return met;
}

Fulfilment evaluate(const Cluster& cluster, const Job& job, const Condition& c,
                    std::optional<std::uint32_t> task, Moment at) {
  if (c.kind != DependencyKind::singleton) return evaluate_condition(cluster, job, c, task, at);
  return singleton_met(cluster, job) ? Fulfilment::met : Fulfilment::waiting;
}

Fulfilment evaluate_all(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                        std::optional<std::uint32_t> task, Moment at) {
  if (dependencies.conditions.empty()) return Fulfilment::met;
  Fulfilment best = Fulfilment::never;
  Fulfilment worst = Fulfilment::met;
  for (const Condition& c : dependencies.conditions) {
    Fulfilment f = evaluate(cluster, job, c, task, at);
    best = std::min(best, f);
    worst = std::max(worst, f);
    // The other conditions cannot change the result.
    if (dependencies.any ? best == Fulfilment::met : worst == Fulfilment::never) break;
  }
  return dependencies.any ? best : worst;
}

// "afterok:12_*"
std::string condition_text(const Cluster& cluster, const Condition& c) {
  std::string out(dependency_name(c.kind));
  if (c.kind == DependencyKind::singleton) return out;
  const auto other = find_other(cluster, c.job);
  out += ":" + std::to_string(c.job.value);
  if (c.task)
    out += "_" + std::to_string(*c.task);
  else if (other && other->array_id == other->id)
    out += "_*";
  if (c.delay.count()) out += "+" + std::to_string(c.delay.count());
  return out;
}

JobId array_or_job(const Job& job) { return job.array_id ? job.array_id : job.id; }

}  // namespace

Fulfilment fulfilment(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                      std::optional<std::uint32_t> task, Time now) {
  return evaluate_all(cluster, job, dependencies, task, {now});
}

std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now) {
  const bool never_began = is_ended(job.state) && !job.attempt;
  if (job.own.dependency.empty() || (job.state != JobState::pending && !never_began)) return {};
  const Moment at = never_began ? Moment{job.run->ended, true} : Moment{now};
  const auto& parsed = job.own.dependency.parsed();
  if (!parsed || evaluate_all(cluster, job, *parsed, std::nullopt, at) == Fulfilment::met)
    return {};
  std::string out;
  for (const Condition& c : parsed->conditions) {
    Fulfilment f = evaluate(cluster, job, c, std::nullopt, at);
    if (f == Fulfilment::met) continue;
    if (!out.empty()) out += parsed->any ? '?' : ',';
    out += condition_text(cluster, c);
    out += f == Fulfilment::never ? "(failed)" : "(unfulfilled)";
  }
  return out;
}

Result<void> check_dependencies(const Cluster& cluster, const Job& job,
                                const Dependencies& dependencies) {
  const JobId self = array_or_job(job);
  std::set<JobId> seen;
  std::vector<JobId> open;
  auto add = [&](const Dependencies& d) {
    for (const Condition& c : d.conditions)
      if (const Job* other = cluster.jobs.find(c.job); other && !is_ended(other->state))
        if (seen.insert(array_or_job(*other)).second) open.push_back(array_or_job(*other));
  };
  add(dependencies);
  if (seen.contains(self)) return fail(ErrorCode::dependency);
  while (!open.empty()) {
    const Job* other = cluster.jobs.find(open.back());
    open.pop_back();
    if (!other || other->own.dependency.empty()) continue;
    if (const auto& next = other->own.dependency.parsed()) add(*next);
    if (seen.contains(self)) return fail(ErrorCode::circular_dependency);
  }
  return {};
}

}  // namespace muster::sched
