#include "sched/dependency.h"

#include <algorithm>
#include <set>

namespace muster::sched {

namespace {

// When conditions are looked at. Of a moment in the past, what ended since then had not.
struct Moment {
  Time now;
  bool is_past = false;

  bool is_over(const Job& other) const {
    return is_ended(other.state) && !other.completing() && (!is_past || other.ended <= now);
  }
};

// How one job (never an array record) stands to a condition.
Fulfilment of_job(const Condition& c, const Job& other, Moment at) {
  if (c.kind == DependencyKind::after) {
    if (other.state == JobState::pending) return Fulfilment::waiting;
    // It may have been cancelled before a start.
    Time from = is_ended(other.state) && !other.attempt ? other.ended : other.started;
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

// All records of an array: every one must fulfil, but one that failed is enough for afternotok.
// Nothing is decided before all have ended: one that failed may be requeued.
Fulfilment of_array(const Cluster& cluster, const Condition& c, const Job& record, Moment at) {
  bool some_wait = false, some_met = false, some_never = false;
  auto add = [&](const Job& job) {
    const Fulfilment f =
        job.is_array_record() && !is_ended(job.state) ? Fulfilment::waiting : of_job(c, job, at);
    some_wait |= f == Fulfilment::waiting;
    some_met |= f == Fulfilment::met;
    some_never |= f == Fulfilment::never;
  };
  add(record);
  for (std::uint32_t id : record.task_jobs.ids())
    if (const Job* task = cluster.jobs.find(JobId{id})) add(*task);
  if (some_wait) return Fulfilment::waiting;
  if (c.kind == DependencyKind::after_not_ok) {
    // Records of tasks that ended long ago may be gone.
    const bool some_failed = record.array_exits.max_code > 0 || record.array_exits.max_signal > 0;
    return some_met || some_failed ? Fulfilment::met : Fulfilment::never;
  }
  return some_never ? Fulfilment::never : Fulfilment::met;
}

Fulfilment of_condition(const Cluster& cluster, const Job& job, const Condition& c,
                        std::optional<std::uint32_t> own_task, Moment at) {
  const Job* other = cluster.jobs.find(c.job);
  if (!other) return Fulfilment::met;  // unknown or long gone
  const bool same_task = c.kind == DependencyKind::after_corr && !c.task;
  std::optional<std::uint32_t> task = c.task;
  if (same_task)
    task =
        own_task ? own_task : (job.task_id == kNoTask ? std::nullopt : std::optional(job.task_id));
  if (task && other->array_id) {
    const Job* one = cluster.find_task(other->array_id, *task);
    if (one && one->is_array_record() && !is_ended(one->state)) return Fulfilment::waiting;
    if (one) return of_job(c, *one, at);
    if (!same_task) return Fulfilment::met;  // it has no task of that number
  }
  if (other->array_id == other->id) return of_array(cluster, c, *other, at);
  return of_job(c, *other, at);
}

// No earlier job of the same name and user is left.
bool singleton_met(const Cluster& cluster, const Job& job) {
  bool met = true;
  auto look = [&](const IdSet& ids) {
    for (std::uint32_t id : ids.ids()) {
      const Job& other = cluster.jobs.at(JobId{id});
      if (id >= job.id.value || (job.array_id && other.array_id == job.array_id)) continue;
      if (other.spec->uid == job.spec->uid && other.spec->name == job.spec->name) met = false;
    }
  };
  look(cluster.active);
  if (met) look(cluster.pending);
  return met;
}

Fulfilment of_any_kind(const Cluster& cluster, const Job& job, const Condition& c,
                       std::optional<std::uint32_t> task, Moment at) {
  if (c.kind != DependencyKind::singleton) return of_condition(cluster, job, c, task, at);
  return singleton_met(cluster, job) ? Fulfilment::met : Fulfilment::waiting;
}

Fulfilment of_all(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                  std::optional<std::uint32_t> task, Moment at) {
  Fulfilment best = Fulfilment::never;
  Fulfilment worst = Fulfilment::met;
  for (const Condition& c : dependencies.conditions) {
    Fulfilment f = of_any_kind(cluster, job, c, task, at);
    best = std::min(best, f);
    worst = std::max(worst, f);
  }
  if (dependencies.conditions.empty()) return Fulfilment::met;
  return dependencies.any ? best : worst;
}

// "afterok:12_*"
std::string condition_text(const Cluster& cluster, const Condition& c) {
  std::string out(dependency_name(c.kind));
  if (c.kind == DependencyKind::singleton) return out;
  const Job* other = cluster.jobs.find(c.job);
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
  return of_all(cluster, job, dependencies, task, {now});
}

std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now) {
  const bool never_began = is_ended(job.state) && !job.attempt;
  if (job.spec->dependency.empty() || (job.state != JobState::pending && !never_began)) return {};
  const Moment at = never_began ? Moment{job.ended, true} : Moment{now};
  auto parsed = parse_dependencies(job.spec->dependency);
  if (!parsed || of_all(cluster, job, *parsed, std::nullopt, at) == Fulfilment::met) return {};
  std::string out;
  for (const Condition& c : parsed->conditions) {
    Fulfilment f = of_any_kind(cluster, job, c, std::nullopt, at);
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
    if (!other || other->spec->dependency.empty()) continue;
    if (auto next = parse_dependencies(other->spec->dependency)) add(*next);
    if (seen.contains(self)) return fail(ErrorCode::failure, "Circular job dependency");
  }
  return {};
}

}  // namespace muster::sched
