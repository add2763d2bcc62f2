#include "sched/dependency.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::sched {

namespace {

struct KindName {
  std::string_view name;
  DependencyKind kind;
};
constexpr KindName kKinds[] = {
    {"after", DependencyKind::after},          {"afterany", DependencyKind::after_any},
    {"afterok", DependencyKind::after_ok},     {"afternotok", DependencyKind::after_not_ok},
    {"aftercorr", DependencyKind::after_corr},
};

std::string_view kind_name(DependencyKind kind) {
  for (const KindName& k : kKinds)
    if (k.kind == kind) return k.name;
  return "singleton";
}

std::optional<Condition> parse_condition(DependencyKind kind, std::string_view text) {
  Condition c{.kind = kind};
  if (auto plus = text.find('+'); plus != text.npos) {
    auto minutes = parse_number<std::uint32_t>(text.substr(plus + 1));
    if (!minutes || kind != DependencyKind::after) return std::nullopt;
    c.delay = Minutes{*minutes};
    text = text.substr(0, plus);
  }
  if (auto line = text.find('_'); line != text.npos) {
    auto rest = text.substr(line + 1);
    if (rest != "*") {
      c.task = parse_number<std::uint32_t>(rest);
      if (!c.task) return std::nullopt;
    }
    text = text.substr(0, line);
  }
  auto id = parse_number<std::uint32_t>(text);
  if (!id || *id == 0) return std::nullopt;
  c.job = JobId{*id};
  return c;
}

// How one job (never an array record) stands to a condition.
Fulfilment of_job(const Condition& c, const Job& other, Time now) {
  switch (c.kind) {
    case DependencyKind::after:
      if (other.state == JobState::pending) return Fulfilment::waiting;
      if (is_ended(other.state) && !other.attempt)
        return Fulfilment::met;  // cancelled before a start
      return now >= other.started + c.delay ? Fulfilment::met : Fulfilment::waiting;
    case DependencyKind::after_any:
      return is_ended(other.state) && !other.completing() ? Fulfilment::met : Fulfilment::waiting;
    case DependencyKind::after_not_ok:
      if (!is_ended(other.state) || other.completing()) return Fulfilment::waiting;
      return other.state == JobState::completed ? Fulfilment::never : Fulfilment::met;
    default:
      if (!is_ended(other.state) || other.completing()) return Fulfilment::waiting;
      return other.state == JobState::completed ? Fulfilment::met : Fulfilment::never;
  }
}

// All records of an array: every one must fulfil.
Fulfilment of_array(const Cluster& cluster, const Condition& c, const Job& record, Time now) {
  Fulfilment worst = Fulfilment::met;
  auto add = [&](const Job& job) {
    Fulfilment f =
        job.is_array_record() && !is_ended(job.state) ? Fulfilment::waiting : of_job(c, job, now);
    worst = std::max(worst, f);
  };
  add(record);
  for (std::uint32_t id : record.task_jobs.ids())
    if (const Job* task = cluster.jobs.find(JobId{id})) add(*task);
  return worst;
}

Fulfilment of_condition(const Cluster& cluster, const Job& job, const Condition& c,
                        std::optional<std::uint32_t> own_task, Time now) {
  if (c.kind == DependencyKind::singleton) return Fulfilment::met;  // see singleton_met
  std::optional<std::uint32_t> task = c.task;
  if (c.kind == DependencyKind::after_corr && !task)
    task =
        own_task ? own_task : (job.task_id == kNoTask ? std::nullopt : std::optional(job.task_id));
  const Job* other = cluster.jobs.find(c.job);
  if (task && other && other->array_id) {
    const Job* one = cluster.find_task(other->array_id, *task);
    if (!one) return Fulfilment::met;
    if (one->is_array_record() && !is_ended(one->state)) return Fulfilment::waiting;
    return of_job(c, *one, now);
  }
  if (!other) return Fulfilment::met;  // unknown or long gone
  if (other->array_id == other->id) return of_array(cluster, c, *other, now);
  return of_job(c, *other, now);
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
                       std::optional<std::uint32_t> task, Time now) {
  if (c.kind != DependencyKind::singleton) return of_condition(cluster, job, c, task, now);
  return singleton_met(cluster, job) ? Fulfilment::met : Fulfilment::waiting;
}

}  // namespace

Result<Dependencies> parse_dependencies(std::string_view text) {
  Dependencies result;
  result.any = text.find('?') != text.npos;
  if (result.any && text.find(',') != text.npos) return fail(ErrorCode::dependency);
  for (std::string_view part : split(text, result.any ? '?' : ',')) {
    if (iequals(part, "singleton")) {
      result.conditions.push_back({.kind = DependencyKind::singleton});
      continue;
    }
    auto words = split(part, ':');
    auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                             [&](const KindName& k) { return iequals(k.name, words[0]); });
    if (kind == std::end(kKinds) || words.size() < 2) return fail(ErrorCode::dependency);
    for (std::size_t i = 1; i < words.size(); ++i) {
      auto condition = parse_condition(kind->kind, words[i]);
      if (!condition) return fail(ErrorCode::dependency);
      result.conditions.push_back(*condition);
    }
  }
  return result;
}

Fulfilment fulfilment(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                      std::optional<std::uint32_t> task, Time now) {
  Fulfilment best = Fulfilment::never;
  Fulfilment worst = Fulfilment::met;
  for (const Condition& c : dependencies.conditions) {
    Fulfilment f = of_any_kind(cluster, job, c, task, now);
    best = std::min(best, f);
    worst = std::max(worst, f);
  }
  if (dependencies.conditions.empty()) return Fulfilment::met;
  return dependencies.any ? best : worst;
}

std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now) {
  if (job.spec->dependency.empty() || job.state != JobState::pending) return {};
  auto parsed = parse_dependencies(job.spec->dependency);
  if (!parsed || fulfilment(cluster, job, *parsed, std::nullopt, now) == Fulfilment::met) return {};
  std::string out;
  for (const Condition& c : parsed->conditions) {
    Fulfilment f = of_any_kind(cluster, job, c, std::nullopt, now);
    if (f == Fulfilment::met) continue;
    if (!out.empty()) out += parsed->any ? '?' : ',';
    out += kind_name(c.kind);
    if (c.kind != DependencyKind::singleton) {
      const Job* other = cluster.jobs.find(c.job);
      out += ":" + std::to_string(c.job.value);
      if (c.task)
        out += "_" + std::to_string(*c.task);
      else if (other && other->array_id == other->id)
        out += "_*";
      if (c.delay.count()) out += "+" + std::to_string(c.delay.count());
    }
    out += f == Fulfilment::never ? "(failed)" : "(unfulfilled)";
  }
  return out;
}

}  // namespace muster::sched
