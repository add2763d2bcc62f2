// Usage: what is charged to whom, how it decays, and the limits on it.
#include "sched/priority/usage.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "sched/limits/limits.h"
#include "sched/request/amounts.h"

namespace muster::sched {
namespace {

using namespace muster::test;

constexpr std::string_view kStarts = "(no wait)";
const UsageOwner kAlicePays{.qos = {}, .association = {.account = {}, .user = "alice"}};
const UsageOwner kQosPays{.qos = "q", .association = {}};

ClusterBuilder counting(std::string_view limits = "GrpTRESMins=cpu=100") {
  ClusterBuilder b;
  b.nodes(2).qos("q", limits);
  return b;
}

double cpu_seconds(const Cluster& cluster, const UsageOwner& owner, Time now) {
  auto past = past_use(cluster, now);
  auto at = past.find(owner);
  return at == past.end() ? 0 : at->second.tres_s["cpu"];
}

NodeShare cpus(std::uint32_t node, std::uint32_t count) {
  return {.node = NodeId{node},
          .cpus = IdSet::range(0, count - 1),
          .memory_mib = 100,
          .tasks = 1,
          .gres = {}};
}

void write_down(Cluster& cluster, Time now) {
  Counted counted = count_usage(cluster, now);
  muster::apply(cluster,
                UsageCounted{.as_of = now, .reset = counted.reset, .changed = counted.changed});
}

TEST(Usage, OfRunningJobsGrowsWithTimeAndStopsAtTheirEnd) {
  auto b = counting().running(job().qos("q"), {cpus(1, 4)});
  EXPECT_EQ(cpu_seconds(b.build(), kAlicePays, t0 + Seconds{30}), 120);
  EXPECT_EQ(cpu_seconds(b.build(), kQosPays, t0 + Seconds{30}), 120);
  Cluster cluster = b.ended(1, JobState::completed, 0, t0 + Seconds{60}).build();
  EXPECT_EQ(cpu_seconds(cluster, kQosPays, t0 + Seconds{600}), 240);
}

TEST(Usage, DoesNotDependOnHowOftenItIsWritten) {
  auto b = counting();
  b.settings([](Settings& s) { s.priority.shares.half_life = Seconds{0}; });
  b.running(job().qos("q"), {cpus(1, 4)}).running(job(), {cpus(2, 2)});
  Cluster once = b.build(), often = b.build();
  for (int s = 1; s <= 90; ++s) write_down(often, t0 + Seconds{s});
  EXPECT_EQ(cpu_seconds(once, kAlicePays, t0 + Seconds{100}), 600);
  EXPECT_EQ(cpu_seconds(often, kAlicePays, t0 + Seconds{100}), 600);
  muster::apply(
      often, JobEnded{.job = JobId{1}, .at = t0 + Seconds{100}, .reason = {}, .uncounted = true});
  write_down(often, t0 + Seconds{110});
  EXPECT_TRUE(often.uncounted.empty());
  EXPECT_EQ(cpu_seconds(often, kQosPays, t0 + Seconds{200}), 400);
}

TEST(Usage, IsHalvedInEachHalfLifeUnlessTheQosNeverForgets) {
  auto with = [](std::string_view qos) {
    auto b = counting(qos);
    b.settings([](Settings& s) { s.priority.shares.half_life = Seconds{3600}; });
    b.charged(kQosPays, 1000);
    return cpu_seconds(b.build(), kQosPays, t0 + Minutes{120});
  };
  EXPECT_DOUBLE_EQ(with("GrpTRESMins=cpu=100"), 250);
  EXPECT_DOUBLE_EQ(with("GrpTRESMins=cpu=100 Flags=NoDecay"), 1000);
}

TEST(Usage, OfASuspendedJobStandsStill) {
  auto b = counting();
  b.settings([](Settings& s) { s.priority.shares.half_life = Seconds{0}; });
  b.running(job().qos("q"), {cpus(1, 4)});
  Cluster cluster = b.build();
  write_down(cluster, t0 + Seconds{10});
  muster::apply(cluster, JobSuspended{.job = JobId{1}, .at = t0 + Seconds{10}});
  EXPECT_EQ(cpu_seconds(cluster, kQosPays, t0 + Seconds{100}), 40);
}

TEST(Usage, CountsTimesTheFactorOfTheQos) {
  auto b = counting("GrpTRESMins=cpu=100 UsageFactor=0.5").running(job().qos("q"), {cpus(1, 4)});
  EXPECT_EQ(cpu_seconds(b.build(), kQosPays, t0 + Seconds{30}), 60);
  EXPECT_EQ(past_use(b.build(), t0 + Seconds{30})[kAlicePays].raw, 60);
}

TEST(Usage, IsResetAtTheEndOfItsPeriod) {
  using namespace std::chrono;
  const Time noon = sys_days{2026y / 8 / 19} + hours{12};  // a Wednesday
  EXPECT_EQ(last_reset(UsageReset::none, noon), Time{});
  EXPECT_EQ(last_reset(UsageReset::daily, noon), Time{sys_days{2026y / 8 / 19}});
  EXPECT_EQ(last_reset(UsageReset::weekly, noon), Time{sys_days{2026y / 8 / 16}});
  EXPECT_EQ(last_reset(UsageReset::monthly, noon), Time{sys_days{2026y / 8 / 1}});
  EXPECT_EQ(last_reset(UsageReset::quarterly, noon), Time{sys_days{2026y / 7 / 1}});
  EXPECT_EQ(last_reset(UsageReset::yearly, noon), Time{sys_days{2026y / 1 / 1}});

  auto b = counting();
  b.settings([](Settings& s) {
    s.priority.shares.half_life = Seconds{0};
    s.priority.shares.reset = UsageReset::daily;
  });
  const Time midnight = floor<days>(t0) + days{1};
  b.charged(kQosPays, 1000, midnight - Seconds{20});
  b.running(job().qos("q"), {cpus(1, 1)}, midnight - Seconds{10});
  EXPECT_EQ(cpu_seconds(b.build(), kQosPays, midnight - Seconds{5}), 1005);
  EXPECT_EQ(cpu_seconds(b.build(), kQosPays, midnight + Seconds{7}), 7);
}

TEST(Usage, IsBilledByTheWeightsOfThePartition) {
  const Amounts held{{"cpu", 2}, {"mem", 4096}, {"gres/gpu", 1}, {"license/x", 3}};
  constexpr std::string_view kWeights = "CPU=1.5,Mem=0.25G,GRES/gpu=2,license/x=1";
  EXPECT_DOUBLE_EQ(billed(held, "", false), 2);
  EXPECT_DOUBLE_EQ(billed(held, kWeights, false), 3 + 1 + 2 + 3);
  EXPECT_DOUBLE_EQ(billed(held, kWeights, true), 3 + 3) << "the dearest, and what is the cluster's";
}

// --- limits ---

std::string waits_for(ClusterBuilder b, Time now = t0) {
  b.pending(job().qos("q").minutes(10).cpus_per_task(2).memory(100));
  return reason(plan(b.build(), now), b.last_job().value);
}
ClusterBuilder safe(ClusterBuilder b) {
  b.settings([](Settings& s) { s.enforce_safe = true; });
  return b;
}

TEST(UsageLimits, LetAJobStartAsLongAsSomethingIsLeft) {
  EXPECT_EQ(waits_for(counting("GrpTRESMins=cpu=10").charged(kQosPays, 599)), kStarts);
  EXPECT_EQ(waits_for(counting("GrpTRESMins=cpu=10").charged(kQosPays, 600)),
            "QOSGrpCPUMinutesLimit");
  EXPECT_EQ(waits_for(counting("GrpTRESMins=gres/gpu=0").charged(kQosPays, 600)), kStarts)
      << "it asks for none";
  EXPECT_EQ(waits_for(counting("GrpWall=10").charged(kQosPays, 600)), "QOSGrpWallLimit");
  EXPECT_EQ(waits_for(counting("GrpWall=11").charged(kQosPays, 600)), kStarts);
}

TEST(UsageLimits, LetAJobStartOnlyIfItCanEndInTimeWhereThatIsSafe) {
  EXPECT_EQ(waits_for(safe(counting("GrpTRESMins=cpu=20"))), kStarts);
  EXPECT_EQ(waits_for(safe(counting("GrpTRESMins=cpu=19"))), "QOSGrpCPUMinutesLimit");
  auto beside = safe(counting("GrpTRESMins=cpu=30"));
  beside.running(job().qos("q").minutes(11), {cpus(1, 1)});
  EXPECT_EQ(waits_for(beside), "QOSGrpCPUMinutesLimit") << "what runs may need its time, too";
  EXPECT_EQ(waits_for(safe(counting("GrpWall=9"))), "QOSGrpWallLimit");
  EXPECT_EQ(waits_for(safe(counting("GrpTRESMins=cpu=20 UsageFactor=2"))), kStarts);
  EXPECT_EQ(waits_for(safe(counting("GrpTRESMins=cpu=20 UsageFactor=2 Flags=UsageFactorSafe"))),
            "QOSGrpCPUMinutesLimit");
}

TEST(UsageLimits, OfAnAccountCountItsUsersPast) {
  ClusterBuilder b;
  b.nodes(1).settings([](Settings& s) { s.enforce_limits = true; });
  b.account("top", {}, "GrpTRESMins=cpu=10").account("low", "top");
  b.user("low", "alice").user("top", "bob").used("top", "bob", 600);
  b.pending(job().account("low").minutes(1));
  EXPECT_EQ(reason(plan(b.build(), t0), 1), "AssocGrpCPUMinutesLimit");
}

TEST(UsageLimits, EndJobsThatHaveUsedThemUp) {
  auto over = [](ClusterBuilder b, Time now) {
    b.running(job().qos("q"), {cpus(1, 2)}).running(job(), {cpus(2, 2)});
    auto jobs = jobs_over_limits(b.build(), now);
    return jobs.empty()
               ? std::string()
               : std::to_string(jobs.front().first.value) + " " + jobs.front().second.str();
  };
  const auto by_group = counting("GrpTRESMins=cpu=2");
  EXPECT_EQ(over(by_group, t0 + Seconds{59}), "");
  EXPECT_EQ(over(by_group, t0 + Seconds{60}), "1 QOSGrpCPUMinutesLimit");
  EXPECT_EQ(over(counting("GrpWall=1"), t0 + Seconds{60}), "1 QOSGrpWallLimit");
  EXPECT_EQ(over(counting("MaxTRESMins=cpu=2"), t0 + Seconds{60}), "1 QOSMaxCpuMinutesPerJobLimit");
  EXPECT_EQ(over(safe(counting("GrpTRESMins=cpu=2")), t0 + Seconds{60}), "");
}

TEST(UsageLimits, KeepBackUsersBelowTheUsageThreshold) {
  auto with = [](std::string_view qos) {
    ClusterBuilder b;
    b.nodes(1).qos("q", qos).used({}, "alice", 600).used({}, "bob", 6);
    return waits_for(std::move(b));
  };
  EXPECT_EQ(with("UsageThreshold=0.6 Flags=EnforceUsageThreshold"), "QOSUsageThreshold");
  EXPECT_EQ(with("UsageThreshold=0.5 Flags=EnforceUsageThreshold"), kStarts);
  EXPECT_EQ(with("UsageThreshold=0.6"), kStarts);
}

}  // namespace
}  // namespace muster::sched
