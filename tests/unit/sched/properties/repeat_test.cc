// The same input gives the same plan, wherever in memory it is, and whatever an earlier plan has
// left in the cache. Tested on random clusters and queues; a failure names its seed.
#include <gtest/gtest.h>

#include "sched/random_queue.h"
#include "state/snapshot.h"

namespace muster::sched::repeat_test {
namespace {

using namespace muster::test;

std::string told(const Start& s) {
  std::string text = "start " + std::to_string(s.job.value);
  if (s.task) text += "_" + std::to_string(*s.task);
  text += " " + s.partition.str() + " " + s.reservation.str();
  for (const NodeShare& share : s.allocation)
    text += " " + std::to_string(share.node.value) + ":" + share.cpus.text();
  for (JobId lender : s.suspends) text += " from " + std::to_string(lender.value);
  return text;
}

// Everything that a plan says, line by line.
std::string told(const Plan& p) {
  std::vector<std::string> lines;
  for (const Start& s : p.starts) lines.push_back(told(s));
  for (const Eviction& e : p.evictions)
    lines.push_back("evict " + std::to_string(e.victim.value) + " " + std::to_string(e.by.value));
  for (const Wait& w : p.waits)
    lines.push_back("wait " + std::to_string(w.job.value) + " " +
                    std::string(reason_name(w.reason)) + " " + w.detail.str());
  for (const Expected& e : p.expected) {
    std::string line = "expect " + std::to_string(e.job.value) + " in " +
                       std::to_string((e.at - t0).count()) + " ms";
    for (NodeId node : e.nodes) line += " " + std::to_string(node.value);
    lines.push_back(line);
  }
  for (JobId job : p.hopeless) lines.push_back("hopeless " + std::to_string(job.value));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Changes that bring deferred jobs back, in addition to time and ends of jobs. True = the order of
// the queue may have changed.
bool change_some(Cluster& cluster, Dice& dice, Time now) {
  bool order_changed = false;
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (dice.one_in(6)) {
      order_changed = true;
      muster::apply(cluster, JobsHeld{.jobs = IdSet::range(id, id),
                                      .hold = job.hold == Hold::none ? Hold::user : Hold::none,
                                      .priority = job.priority,
                                      .reason = {},
                                      .at = now});
    } else if (job.waiting_tasks.size() > 1 && dice.one_in(4)) {
      muster::apply(cluster, TasksCancelled{JobId{id}, job.waiting_tasks.first(1)});
    } else if (!job.is_het() && dice.one_in(12)) {
      muster::apply(cluster,
                    PendingJobsEnded{.jobs = IdSet::range(id, id), .at = now, .reason = {}});
    }
  }
  return order_changed;
}

void check_one_history(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Cluster cluster = random_machines(dice).build();
  if (seed % 4 == 2) reserve_some(cluster, dice);
  PlannerCache cache, silent;
  Time now = t0;
  for (int round = 0; round < 5; ++round, now += Minutes{1}) {
    submit_some(cluster, dice, dice.between(1, 8), seed % 4 == 1);
    const bool order_changed = round % 2 == 1 && change_some(cluster, dice, now);
    // As after an event: the queue keeps the order of the last plan, and new jobs are added.
    const Budget quick{.thorough = false, .order_changed = round == 0 || order_changed};
    const Plan p = plan(cluster, now, quick, cache);
    // Everything is elsewhere in memory, and the cache is empty.
    auto copy = decode_snapshot(encode_snapshot(cluster));
    ASSERT_TRUE(copy);
    EXPECT_EQ(told(p), told(plan(*copy, now, {.thorough = false})));
    // A plan that reports less starts the same jobs.
    Budget silently = quick;
    silently.explains_deferred = false;
    EXPECT_EQ(starts(p), starts(plan(cluster, now, silently, silent)));
    take_over(cluster, p, now);
    end_some(cluster, dice);
  }
}

TEST(EveryPlan, IsTheSameForTheSameInput) {
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    check_one_history(seed);
}

}  // namespace
}  // namespace muster::sched::repeat_test
