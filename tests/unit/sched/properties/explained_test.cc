// Every start is explained: the reason for which a job waited is gone when it starts, a job that
// overtakes others delays none of them, and `muster explain` sees the queue as the plan does.
// Tested on random clusters and queues; a failure names its seed.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "sched/explain.h"
#include "sched/gate/dependency.h"
#include "sched/random_queue.h"
#include "sched/request/request.h"

namespace muster::sched::explained_test {
namespace {

using namespace muster::test;

// Components are in line at the position of the first one.
bool comes_before(const Cluster& cluster, JobId a, JobId b) {
  auto rank = [&](JobId id) {
    const Job& job = *cluster.components(cluster.jobs.at(id)).front();
    return std::tuple(-std::int64_t{cluster.partition_of(job)->priority_tier},
                      -std::int64_t{job.priority}, job.id.value, id.value);
  };
  return rank(a) < rank(b);
}

// The promised start of `job` if only it and the jobs before it wait, and of the plan's starts only
// those of jobs before it, or all, happen.
Time promised_to(JobId job, const Cluster& before, const Plan& p, Time now,
                 bool with_later_starts) {
  Cluster cluster = before;
  Plan taken;
  for (const Start& s : p.starts)
    if (with_later_starts || s.job == job || comes_before(before, s.job, job))
      taken.starts.push_back(s);
  take_over(cluster, taken, now);
  // A job whose dependency is fulfilled by the plan itself was not in line yet.
  auto was_in_line = [&](JobId id) {
    const Wait* wait = find_wait(p, id);
    return before.jobs.contains(id) && !(wait && wait->reason == Reason::dependency);
  };
  for (std::uint32_t id : cluster.pending.ids())
    if (!was_in_line(JobId{id}) || (JobId{id} != job && !comes_before(before, JobId{id}, job)))
      muster::apply(cluster, JobsHeld{.jobs = IdSet::range(id, id)});
  Plan after = plan(cluster, now);
  for (const Start& s : after.starts)
    if (s.job == job) return now;
  const Expected* e = find_expected(after, job);
  return e ? e->at : Time::max();
}

// A start must not delay the promised start of a job before it.
void check_promises(const Cluster& before, const Plan& p, Time now, Dice& dice) {
  if (!p.complete || p.expected.empty()) return;
  // A job before it that is kept back by a limit gets a promise only once it also lacks room, so it
  // may start first after all. property_test.cc checks the promises of limits.
  if (before.find_qos("few")) return;
  JobId job = p.expected[dice.upto(static_cast<std::uint32_t>(p.expected.size()) - 1)].job;
  EXPECT_LE(promised_to(job, before, p, now, true), promised_to(job, before, p, now, false))
      << "job " << job.value << " is delayed by those after it";
}

// A plan, and what followed from it.
struct Past {
  Cluster before, after;
  Plan plan;
  Time at;
};

std::uint32_t licenses_in_use(const Cluster& cluster) {
  std::uint32_t used = 0;
  for (std::uint32_t id : cluster.active.ids())
    for (const auto& [name, count] : licenses_in(cluster.jobs.at(JobId{id}).spec->licenses))
      used += count;
  return used;
}

std::uint32_t licenses_wanted(const Job& job) {
  std::uint32_t wanted = 0;
  for (const auto& [name, count] : licenses_in(job.spec->licenses)) wanted += count;
  return wanted;
}

std::uint32_t running_tasks(const Cluster& cluster, JobId array) {
  std::uint32_t running = 0;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.array_id == array && is_active(job.state)) ++running;
  }
  return running;
}

// Whether a job of the same user and QOS has ended, or has a promise that must be kept.
bool made_room(const Past& past, const Cluster& now, const Job& job) {
  auto counts_with = [&](const Job& other) {
    return other.qos == job.qos && other.spec->uid == job.spec->uid;
  };
  const Cluster& then = past.after;
  return std::ranges::any_of(then.active.ids(),
                             [&](std::uint32_t id) {
                               const Job& other = then.jobs.at(JobId{id});
                               return is_active(other.state) && counts_with(other) &&
                                      !is_active(now.jobs.at(JobId{id}).state);
                             }) ||
         std::ranges::any_of(past.plan.expected,
                             [&](const Expected& e) { return counts_with(then.jobs.at(e.job)); });
}

bool is_met(const Cluster& cluster, const Job& job, Time now) {
  auto dependencies = parse_dependencies(job.own.dependency.view());
  return dependencies &&
         fulfilment(cluster, job, *dependencies, std::nullopt, now) == Fulfilment::met;
}

// The time at which the last of its components may begin.
Time may_begin(const Cluster& cluster, const Job& job) {
  Time at = job.eligible;
  if (job.is_het())
    for (const Job* component : cluster.components(job)) at = std::max(at, component->eligible);
  return at;
}

// What is wrong with a start after this wait; "" if the reason is gone.
std::string unexplained(const Past& past, const Wait& wait, const Cluster& cluster, Time now) {
  const Job& job = cluster.jobs.at(wait.job);
  const std::uint32_t licenses = cluster.settings().licenses.front().second;
  switch (wait.reason) {
    case Reason::held_user:
    case Reason::held_admin:
      return job.hold == Hold::none ? "" : "it is held";
    case Reason::begin_time:
      return past.at < may_begin(cluster, job) && may_begin(cluster, job) <= now
                 ? ""
                 : "its time has not come";
    case Reason::dependency:
      if (job.is_array_record()) return "";  // some of its tasks may have been ready
      if (is_met(past.before, past.before.jobs.at(job.id), past.at)) return "it depended on nobody";
      return is_met(cluster, job, now) ? "" : "it depends on others";
    case Reason::dependency_never_satisfied:
      return "it never may";
    case Reason::licenses:
      return licenses_in_use(cluster) + licenses_wanted(job) <= licenses
                 ? ""
                 : "its licenses are in use";
    case Reason::array_task_limit:
      if (running_tasks(past.after, job.array_id) < job.task_limit)
        return "it had no limit to meet";
      return running_tasks(cluster, job.array_id) < job.task_limit ? "" : "too many of it run";
    case Reason::limit:
      // The number of CPUs that count depends on the node; any component may be the one that meets
      // a limit.
      return job.is_het() || wait.detail != "QOSMaxJobsPerUserLimit" ||
                     made_room(past, cluster, job)
                 ? ""
                 : "nobody has made room for it";
    default:  // room: all who may have it are in line, and check_promises checks their order
      return "";
  }
}

void check_starts(const Past& past, const Cluster& cluster, const Plan& p, Time now) {
  std::set<JobId> seen;
  for (const Start& s : p.starts) {
    EXPECT_GT(standing_of(cluster, s.job, now).position, 0u)
        << "job " << s.job.value << " starts without being in line";
    const Wait* wait = find_wait(past.plan, s.job);
    if (!seen.insert(s.job).second || !wait) continue;
    EXPECT_EQ(unexplained(past, *wait, cluster, now), "")
        << "job " << s.job.value << " waited for " << reason_name(wait->reason);
  }
}

// What is wrong with a reason, as far as the job alone shows it; "" if it is true.
std::string untrue(const Cluster& cluster, const Wait& wait, Time now) {
  const Job& job = cluster.jobs.at(wait.job);
  switch (wait.reason) {
    case Reason::held_user:
    case Reason::held_admin:
      return job.hold == Hold::none ? "nobody holds it" : "";
    case Reason::begin_time:
      return job.eligible <= now ? "its time has come" : "";
    case Reason::partition_time_limit:
      return job.time_limit <= *cluster.partition_of(job)->max_time ? "it may" : "";
    case Reason::dependency:
    case Reason::dependency_never_satisfied:
      return job.own.dependency.empty() ? "it depends on nobody" : "";
    case Reason::licenses:
      return licenses_wanted(job) == 0 ? "it needs none" : "";
    case Reason::array_task_limit:
      return job.task_limit == 0 ? "it has no such limit" : "";
    case Reason::limit:
      return cluster.find_qos(job.qos) ? "" : "nothing limits it";
    default:
      return job.hold != Hold::none || job.eligible > now ? "something else keeps it" : "";
  }
}

// Jobs that wait for resources are in line; other jobs are not.
void check_line(const Cluster& cluster, const Plan& p, Time now) {
  for (const Wait& wait : p.waits) {
    const bool in_line = standing_of(cluster, wait.job, now).position > 0;
    const bool for_others = wait.reason == Reason::resources || wait.reason == Reason::priority ||
                            wait.reason == Reason::licenses || wait.reason == Reason::limit;
    const bool for_itself = wait.reason == Reason::held_user || wait.reason == Reason::begin_time ||
                            wait.reason == Reason::dependency_never_satisfied;
    const Job& job = cluster.jobs.at(wait.job);
    if (job.is_het()) continue;  // one component may wait for what another one lacks
    EXPECT_EQ(untrue(cluster, wait, now), "")
        << "job " << wait.job.value << " is told " << reason_name(wait.reason);
    EXPECT_TRUE(!for_others || in_line) << "job " << wait.job.value << " is not in line";
    EXPECT_TRUE(!for_itself || !in_line) << "job " << wait.job.value << " is in line";
  }
}

void release_some(Cluster& cluster, Dice& dice, Time now) {
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.hold == Hold::none || job.is_het() || dice.one_in(2)) continue;
    muster::apply(cluster, JobsHeld{.jobs = IdSet::range(id, id),
                                    .hold = Hold::none,
                                    .priority = 4294901760u - id,
                                    .at = now});
  }
}

void check_one_history(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Cluster cluster = random_machines(dice).build();
  Past past;
  Time now = t0;
  for (int round = 0; round < 3; ++round, now += Minutes{1}) {
    submit_some(cluster, dice, dice.between(1, 8), seed % 4 == 1);
    Plan p = plan(cluster, now);
    check_starts(past, cluster, p, now);
    check_line(cluster, p, now);
    check_promises(cluster, p, now, dice);
    past = {cluster, cluster, std::move(p), now};
    take_over(cluster, past.plan, now);
    past.after = cluster;
    end_some(cluster, dice);
    release_some(cluster, dice, now);
  }
}

// Promises on shared CPUs, of components that compete for nodes, and of GPUs of several types.
TEST(EveryStart, FoundFaultsWithTheseSeeds) {
  for (std::uint32_t seed : {18192u, 38384u, 86237u, 89391u}) check_one_history(seed);
}

TEST(EveryStart, IsExplained) {
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    check_one_history(seed);
}

}  // namespace
}  // namespace muster::sched::explained_test
