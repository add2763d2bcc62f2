// Properties of every plan that preempts: each victim is needed, may be preempted, and is not
// preempted in vain. Tested on random clusters and queues; a failure names its seed.
#include <gtest/gtest.h>

#include <set>

#include "builders.h"
#include "dice.h"
#include "sched/preempt/preempt.h"
#include "state/invariants.h"

namespace muster::sched::preempt_test {
namespace {

using namespace muster::test;

constexpr const char* kPartitions[] = {"low", "middle", "high"};

Cluster random_tiers(Dice& dice) {
  const std::uint32_t nodes = dice.between(1, 5);
  ClusterBuilder b;
  b.nodes(nodes, 1u << dice.upto(3), 8000);
  if (dice.one_in(2)) b.gpus(dice.between(1, 3));
  constexpr const char* kModes[] = {"", "OFF", "CANCEL", "REQUEUE"};
  for (std::uint32_t tier = 1; tier <= 3; ++tier)
    b.partition({.name = kPartitions[tier - 1],
                 .preempt_mode = kModes[dice.upto(3)],
                 .priority_tier = tier,
                 .grace_time_s = dice.one_in(2) ? 30u : 0u},
                1, dice.between(1, nodes));
  if (dice.one_in(2)) b.qos("few", "MaxTRESPU=cpu=" + std::to_string(dice.between(2, 12)));
  b.qos("fragile", "PreemptExemptTime=" + std::to_string(dice.between(1, 8)));
  b.settings([&](Settings& s) {
    s.preempt = {.type = PreemptType::partition_priority,
                 .mode = dice.one_in(2) ? PreemptMode::cancel : PreemptMode::requeue};
    if (dice.one_in(3)) s.preempt.exempt_time = Minutes{dice.between(1, 8)};
    s.preempt.youngest_first = dice.one_in(3);
    s.preempt.reclaim_licenses = true;
    s.default_memory_per_cpu_mib = 100;
    s.licenses = {{"matlab", dice.between(1, 3)}};
  });
  return b.build();
}

void submit_some(Cluster& cluster, Dice& dice) {
  for (std::uint32_t i = dice.between(1, 6); i > 0; --i) {
    SpecBuilder spec = job().minutes(static_cast<int>(dice.between(10, 100)));
    spec.partition(kPartitions[dice.upto(2)]).tasks(dice.between(1, 6));
    if (dice.one_in(3)) spec.nodes(dice.between(1, 3));
    if (dice.one_in(3)) spec.gres("gpu:1");
    if (dice.one_in(4)) spec.exclusive();
    if (dice.one_in(4)) spec.licenses("matlab");
    if (dice.one_in(4)) spec.requeue(false);
    if (dice.one_in(3)) spec.qos(dice.one_in(2) ? "fragile" : "few");
    muster::apply(cluster, JobSubmitted{make_job(cluster.next_job_id, spec, cluster)});
  }
}

std::uint32_t tier_of(const Cluster& cluster, const Job& job) {
  return cluster.partition_of(job)->priority_tier;
}

// Why the first job must not make room for the second; "" if it may.
std::string objection(const Cluster& cluster, const Eviction& e, Time now) {
  const Job& victim = cluster.jobs.at(e.victim);
  const Job& by = cluster.jobs.at(e.by);
  if (victim.state != JobState::running) return "it does not run";
  if (victim.run->ending || victim.run->preemption) return "it leaves already";
  if (by.state != JobState::pending || by.hold != Hold::none) return "the other does not wait";
  if (tier_of(cluster, victim) >= tier_of(cluster, by)) return "its tier is not lower";
  if (preempt_mode(cluster, victim) == PreemptMode::off) return "nobody preempts it";
  if (now < preemptable_since(cluster, victim)) return "it has not run long enough";
  return "";
}

void leave(Cluster& cluster, JobId id, Time now) {
  const Job job = cluster.jobs.at(id);
  std::vector<NodeId> nodes(job.run->unfinished.begin(), job.run->unfinished.end());
  muster::apply(cluster, JobEnded{.job = id, .state = JobState::preempted, .at = now});
  muster::apply(cluster, NodesReleased{.job = id, .attempt = job.attempt, .nodes = nodes});
}

bool starts_job(const Plan& p, JobId job) {
  return std::ranges::any_of(p.starts, [&](const Start& s) { return s.job == job; });
}

// Whether the job starts if all its victims except `spared` are gone.
bool starts_without(const Cluster& after, const Plan& p, JobId by, JobId spared, Time now) {
  Cluster cluster = after;
  for (const Eviction& e : p.evictions)
    if (e.victim != spared) leave(cluster, e.victim, now);
  return starts_job(plan(cluster, now), by);
}

void check_evictions(const Cluster& before, const Cluster& after, const Plan& p, Time now) {
  std::set<JobId> victims, by;
  for (const Eviction& e : p.evictions) {
    EXPECT_EQ(objection(before, e, now), "") << "of job " << e.victim.value;
    EXPECT_EQ(e.mode, preempt_mode(before, before.jobs.at(e.victim)));
    EXPECT_TRUE(victims.insert(e.victim).second) << "job " << e.victim.value << " goes twice";
    EXPECT_FALSE(starts_job(p, e.by)) << "job " << e.by.value << " has room";
    by.insert(e.by);
  }
  for (JobId job : by)
    EXPECT_TRUE(starts_without(after, p, job, JobId{}, now))
        << "victims of job " << job.value << " went in vain";
  // A victim of two jobs is needed by one of them. A victim that counts for a limit lets other jobs
  // in.
  if (by.size() != 1 || before.find_qos("few")) return;
  for (JobId victim : victims)
    EXPECT_FALSE(starts_without(after, p, *by.begin(), victim, now))
        << "job " << victim.value << " was not in the way of job " << by.begin()->value;
}

std::size_t check_one_history(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Cluster cluster = random_tiers(dice);
  std::size_t evictions = 0;
  Time now = t0;
  for (int round = 0; round < 3; ++round, now += Minutes{4}) {
    submit_some(cluster, dice);
    const Plan p = plan(cluster, now);
    const Cluster before = cluster;
    take_over(cluster, p, now);
    check_evictions(before, cluster, p, now);
    evictions += p.evictions.size();
    for (const Eviction& e : p.evictions) leave(cluster, e.victim, now);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  }
  return evictions;
}

// The victims of another job were gone, so this job needed one victim less.
TEST(EveryEviction, FoundAFaultWithThisSeed) { check_one_history(10604); }

TEST(EveryEviction, IsNeededAllowedAndNotInVain) {
  std::size_t evictions = 0;
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    evictions += check_one_history(seed);
  EXPECT_GE(evictions, MUSTER_RANDOM_CASES / 8) << "too few cases make room";
}

}  // namespace
}  // namespace muster::sched::preempt_test
