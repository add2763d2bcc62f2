// Jobs that take turns on shared CPUs, and jobs that suspend others.
#include "sched/preempt/gang.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "state/invariants.h"

namespace muster::sched {
namespace {

using namespace muster::test;

ClusterBuilder gang(Text oversubscribe = "FORCE:1") {
  ClusterBuilder b;
  b.nodes(1)
      .settings([](Settings& s) {
        s.preempt = {.type = PreemptType::partition_priority, .mode = PreemptMode::suspend};
        s.preempt.gang = true;
        s.time_slice = Seconds{30};
      })
      .partition({.name = "low", .oversubscribe = oversubscribe, .priority_tier = 1}, 1, 1)
      .partition({.name = "high", .oversubscribe = "FORCE:1", .priority_tier = 10}, 1, 1);
  return b;
}
SpecBuilder in(Text partition, std::uint32_t cpus, std::uint64_t memory = 10) {
  return job().partition(std::move(partition)).tasks(cpus).nodes(1).memory(memory);
}
std::string running(const Cluster& cluster) {
  std::string out;
  for (std::uint32_t id : cluster.active.ids())
    if (cluster.jobs.at(JobId{id}).state == JobState::running)
      out += (out.empty() ? "" : " ") + std::to_string(id);
  return out;
}
void run(Cluster& cluster, Time now) {
  take_over(cluster, plan(cluster, now), now);
  take_turns(cluster, now);
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
}
void submit(Cluster& cluster, JobRequest spec) {
  muster::apply(cluster, JobSubmitted{make_job(cluster.next_job_id, std::move(spec), cluster)});
}
void end(Cluster& cluster, std::uint32_t id, Time now) {
  muster::apply(cluster, JobEnded{.job = JobId{id}, .at = now});
  muster::apply(cluster, NodesReleased{JobId{id}, Attempt{1}, {NodeId{1}}});
}

TEST(SuspendingPreemption, ALowerJobIsSuspendedUntilTheHigherOneHasEnded) {
  Cluster cluster = gang().pending(in("low", 8)).build();
  run(cluster, t0);
  submit(cluster, in("high", 4));
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "2");
  EXPECT_EQ(p.starts[0].suspends, std::vector<JobId>{JobId{1}});
  EXPECT_TRUE(p.evictions.empty());
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "2");
  end(cluster, 2, t0 + Minutes{10});
  run(cluster, t0 + Minutes{10});
  EXPECT_EQ(running(cluster), "1");
}

TEST(SuspendingPreemption, CpusOfASuspendedJobAreOnlyForHigherJobs) {
  Cluster cluster = gang().pending(in("low", 8)).build();
  run(cluster, t0);
  submit(cluster, in("high", 4));
  run(cluster, t0);
  submit(cluster, in("low", 4));
  submit(cluster, in("high", 4));
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "2 4");
  // One of the two has ended, but the suspended job needs the CPUs of both.
  end(cluster, 2, t0);
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "4");
  end(cluster, 4, t0);
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "1");
}

TEST(SuspendingPreemption, FreeCpusComeFirst) {
  Cluster cluster = gang().pending(in("low", 4)).build();
  run(cluster, t0);
  submit(cluster, in("high", 4));
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "1 2");
}

TEST(SuspendingPreemption, MemoryOfASuspendedJobStaysItsOwn) {
  Cluster cluster = gang().pending(in("low", 8, 10000)).build();
  run(cluster, t0);
  submit(cluster, in("high", 4, 10000));
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "1");
}

TEST(SuspendingPreemption, TheTimeLimitOfASuspendedJobStandsStill) {
  Cluster cluster = gang().pending(in("low", 8).minutes(10)).build();
  run(cluster, t0);
  submit(cluster, in("high", 8));
  run(cluster, t0 + Minutes{4});
  end(cluster, 2, t0 + Minutes{64});
  run(cluster, t0 + Minutes{64});
  EXPECT_EQ(cluster.jobs.at(JobId{1}).end_limit(), t0 + Minutes{70});
}

TEST(TimeSlices, JobsThatShareCpusTakeTurns) {
  Cluster cluster = gang("FORCE:2").pending(in("low", 8)).pending(in("low", 8)).build();
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "1");
  run(cluster, t0 + Seconds{29});
  EXPECT_EQ(running(cluster), "1");
  run(cluster, t0 + Seconds{30});
  EXPECT_EQ(running(cluster), "2");
  run(cluster, t0 + Seconds{59});
  EXPECT_EQ(running(cluster), "2");
  run(cluster, t0 + Seconds{60});
  EXPECT_EQ(running(cluster), "1");
}

TEST(TimeSlices, JobsThatDoNotOverlapRunAtTheSameTime) {
  auto builder = gang("FORCE:2");
  for (int i = 0; i < 4; ++i) builder.pending(in("low", 4));
  Cluster cluster = builder.build();
  run(cluster, t0);
  EXPECT_EQ(running(cluster), "1 2");
  run(cluster, t0 + Seconds{30});
  EXPECT_EQ(running(cluster), "3 4");
}

TEST(TimeSlices, AJobThatIsAloneRunsOn) {
  Cluster cluster = gang("FORCE:2").pending(in("low", 8)).pending(in("low", 8)).build();
  run(cluster, t0);
  end(cluster, 1, t0 + Seconds{5});
  run(cluster, t0 + Seconds{5});
  EXPECT_EQ(running(cluster), "2");
  run(cluster, t0 + Seconds{95});
  EXPECT_EQ(running(cluster), "2");
}

TEST(TimeSlices, WithoutGangSchedulingTheyRunTogether) {
  auto builder = gang("FORCE:2");
  builder.settings([](Settings& s) { s.preempt = {}; });
  Cluster cluster = builder.pending(in("low", 8)).pending(in("low", 8)).build();
  run(cluster, t0);
  run(cluster, t0 + Minutes{10});
  EXPECT_EQ(running(cluster), "1 2");
}

}  // namespace
}  // namespace muster::sched
