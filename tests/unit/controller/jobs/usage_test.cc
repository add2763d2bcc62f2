// The usage of jobs is recorded in all cases, and ends jobs that reach a limit on usage.
#include "sched/priority/usage.h"

#include <gtest/gtest.h>

#include "controller/world.h"
#include "state/snapshot.h"

namespace muster::controller::jobs_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder counting(std::string_view qos = "GrpTRESMins=cpu=1000") {
  ClusterBuilder b;
  b.nodes(1).qos("q", qos).settings([](Settings& s) {
    s.priority.shares.half_life = Seconds{0};
    s.slurmd_timeout = Seconds{0};
  });
  return b;
}
JobRequest two_cpus() { return job().qos("q").cpus_per_task(2).memory(10).minutes(60); }

double written_down(const World& w) {
  const auto& past = (*w.core.cluster().usage).past;
  auto at = past.find({.qos = "q", .association = {}});
  return at == past.end() ? 0 : at->second.raw;
}

TEST(Usage, IsWrittenDownSoonAfterAJobHasEnded) {
  World w{counting()};
  auto id = w.submit(two_cpus());
  w.pass(Seconds{10});  // the first record of usage
  EXPECT_EQ(written_down(w), 20);
  w.pass(Seconds{20});
  EXPECT_EQ(written_down(w), 20) << "while it runs that has time";
  w.step_end(1, batch_of(id));
  w.gone(1, id);
  w.pass(Seconds{1});
  EXPECT_EQ(written_down(w), 60);
  w.host.commits.clear();
  w.pass(Seconds{1000});
  EXPECT_TRUE(w.committed_events<UsageCounted>().empty()) << "nothing more to count";
}

TEST(Usage, OfLongJobsIsWrittenDownPeriodically) {
  World w{counting()};
  w.submit(two_cpus());
  w.pass(Seconds{1});
  w.pass(Seconds{299});
  EXPECT_EQ(written_down(w), 2);
  w.pass(Seconds{1});
  EXPECT_EQ(written_down(w), 602);
}

TEST(Usage, SurvivesRequeueAndSuspension) {
  World w{counting()};
  auto id = w.submit(two_cpus());
  w.pass(Seconds{10});
  w.act(wire::JobAction::suspend, id, kRoot);
  w.pass(Seconds{100});
  w.act(wire::JobAction::resume, id, kRoot);
  w.pass(Seconds{5});
  w.act(wire::JobAction::requeue, id, kRoot);
  w.gone(1, id);
  EXPECT_EQ(w.job(id).restarts, 1u);
  EXPECT_EQ(written_down(w), 30);
}

TEST(Usage, IsNotCountedWhereNobodyAsks) {
  ClusterBuilder b;
  World w{b.nodes(1)};
  auto id = w.submit(job().memory(10).minutes(60));
  w.pass(Seconds{1000});
  w.step_end(1, batch_of(id));
  w.gone(1, id);
  w.pass(Seconds{1});
  EXPECT_TRUE(w.committed_events<UsageCounted>().empty());
  EXPECT_TRUE(w.core.cluster().uncounted.empty());
}

TEST(Usage, EndsAJobThatHasUsedUpItsLimit) {
  World w{counting("GrpTRESMins=cpu=2")};
  auto id = w.submit(two_cpus());
  w.pass(Seconds{59});
  EXPECT_FALSE(w.job(id).run->ending);
  w.pass(Seconds{1});
  ASSERT_TRUE(w.job(id).run->ending);
  EXPECT_EQ(w.job(id).run->ending->becomes, JobState::timeout);
}

TEST(Usage, IsForgottenAtTheStartWhereTheConfigurationSaysNow) {
  auto with = [](UsageReset reset) {
    auto b = counting();
    b.settings([&](Settings& s) { s.priority.shares.reset = reset; });
    Cluster cluster = b.charged({.qos = "q", .association = {}}, 100).build();
    MemoryHost host;
    Core core{host, {.slurm_user = Uid{64030}}};
    EXPECT_TRUE(core.recover({.snapshot_number = 1, .snapshot = encode_snapshot(cluster)},
                             *cluster.config, t0 + Seconds{1}));
    return (*core.cluster().usage).past.size();
  };
  EXPECT_EQ(with(UsageReset::none), 1u);
  EXPECT_EQ(with(UsageReset::now), 0u);
}

TEST(Submit, MoreMemoryForACpuThanAllowedIsMoreCpus) {
  auto spec_of = [](JobRequest spec) {
    ClusterBuilder b;
    b.nodes(2).settings([](Settings& s) { s.max_memory_per_cpu_mib = 1000; });
    World w{b};
    return *w.job(w.submit(std::move(spec))).spec;
  };
  JobSpec per_cpu = spec_of(job().memory_per_cpu(2500));
  EXPECT_EQ(per_cpu.cpus_per_task, 3u);
  EXPECT_EQ(per_cpu.memory_per_cpu_mib, 834u);
  EXPECT_EQ(spec_of(job().cpus_per_task(3).memory_per_cpu(1500)).cpus_per_task, 6u);
  EXPECT_EQ(spec_of(job().memory_per_cpu(800)).cpus_per_task, std::nullopt);
  EXPECT_EQ(spec_of(job().memory(3000)).min_cpus_per_node, 3u);
  EXPECT_EQ(spec_of(job().memory(900)).min_cpus_per_node, std::nullopt);
}

}  // namespace
}  // namespace muster::controller::jobs_test
