// Properties of every plan under limits of associations and QOS, with earlier usage. The sums are
// computed again here, job by job. A failure names its seed.
#include <gtest/gtest.h>

#include <random>

#include "builders.h"
#include "sched/limits/limits.h"
#include "sched/priority/usage.h"
#include "state/invariants.h"

namespace muster::sched::limits_test {
namespace {

using namespace muster::test;

struct Dice {
  std::mt19937 engine;
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(engine() % (high - low + 1));
  }
  bool one_in(std::uint32_t n) { return engine() % n == 0; }
  std::string number(std::uint32_t low, std::uint32_t high) {
    return std::to_string(between(low, high));
  }
};

constexpr std::string_view kUsers[] = {"alice", "bob"};

std::string group_limits(Dice& dice) {
  std::string text;
  if (dice.one_in(2)) text += " GrpTRES=cpu=" + dice.number(2, 20);
  if (dice.one_in(3)) text += " GrpJobs=" + dice.number(1, 6);
  if (dice.one_in(2)) text += " GrpTRESMins=cpu=" + dice.number(10, 400);
  if (dice.one_in(3)) text += " GrpTRESRunMins=cpu=" + dice.number(10, 400);
  return text;
}

// Two accounts below a third, with alice and bob in each.
Cluster random_cluster(Dice& dice) {
  ClusterBuilder b;
  b.nodes(3, 8).settings([](Settings& s) {
    s.enforce_limits = s.enforce_safe = true;
    s.priority.shares.half_life = Seconds{0};
    s.default_memory_per_cpu_mib = 100;
  });
  b.qos("q", dice.one_in(2) ? group_limits(dice) : "");
  b.account("top", {}, group_limits(dice));
  for (const char* account : {"a", "b"}) {
    b.account(account, "top", group_limits(dice));
    for (std::string_view user : kUsers) {
      std::string own = group_limits(dice);
      if (dice.one_in(3)) own += " MaxJobs=" + dice.number(1, 4);
      b.user(account, user, own);
      if (dice.one_in(2)) b.used(account, user, dice.between(0, 6000));
    }
  }
  return b.build();
}

void submit(Cluster& cluster, Dice& dice) {
  for (std::uint32_t i = dice.between(1, 6); i > 0; --i) {
    SpecBuilder spec = job().minutes(static_cast<int>(dice.between(1, 60)));
    spec.cpus_per_task(dice.between(1, 8)).account(dice.one_in(2) ? "a" : "b");
    if (dice.one_in(2)) spec.user(kBob);
    if (dice.one_in(2)) spec.qos("q");
    if (dice.one_in(6)) spec.array("1-4");
    muster::apply(cluster, JobSubmitted{make_job(cluster.next_job_id, spec, cluster)});
  }
}

struct Sum {
  std::uint64_t jobs = 0, cpus = 0;
  double minutes_left = 0, minutes_used = 0;
};

template <class Counts>
Sum sum_of(const Cluster& cluster, Time now, Counts counts) {
  Sum sum;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!is_active(job.state) || !counts(job)) continue;
    const auto cpus = total(job.run->allocation).cpus;
    ++sum.jobs;
    sum.cpus += cpus;
    sum.minutes_left +=
        static_cast<double>(cpus) *
        std::chrono::duration<double, std::ratio<60>>(job.end_limit() - now).count();
  }
  return sum;
}

// `before` may hold a limit that takes precedence.
void expect_within(const Sum& sum, const SharedLimits& limits, const SharedLimits* before,
                   std::string_view whose) {
  auto limit = [&](TresAmounts SharedLimits::* of) {
    if (before && amount_of(before->*of, "cpu")) return std::optional<std::uint64_t>();
    return amount_of(limits.*of, "cpu");
  };
  constexpr double kRounding = 1;  // limits count whole minutes
  if (limits.jobs && !(before && before->jobs)) {
    EXPECT_LE(sum.jobs, *limits.jobs) << whose;
  }
  if (auto most = limit(&SharedLimits::tres)) {
    EXPECT_LE(sum.cpus, *most) << whose;
  }
  if (auto most = limit(&SharedLimits::run_minutes)) {
    EXPECT_LE(sum.minutes_left, static_cast<double>(*most)) << whose;
  }
  if (auto most = limit(&SharedLimits::past_minutes); most && sum.jobs > 0) {
    EXPECT_LE(sum.minutes_used + sum.minutes_left, static_cast<double>(*most) + kRounding) << whose;
  }
}

bool is_below(const Cluster& cluster, const AssociationKey& key, const Association& above) {
  const Association* own = find_association(*cluster.associations, key);
  if (!own) return false;
  auto line = line_of(*cluster.associations, *own);
  return std::ranges::any_of(line, [&](const Association* a) { return a->key == above.key; });
}

void check_limits(const Cluster& cluster, Time now) {
  auto past = past_use(cluster, now);
  const Qos& qos = *cluster.find_qos("q");
  Sum of_qos = sum_of(cluster, now, [](const Job& job) { return job.qos == "q"; });
  of_qos.minutes_used = past[{.qos = "q", .association = {}}].tres_s["cpu"] / 60;
  expect_within(of_qos, qos.limits.group, nullptr, "q");
  for (const Association& a : *cluster.associations) {
    Sum sum = sum_of(cluster, now, [&](const Job& job) {
      return is_below(cluster, association_of(cluster, job), a);
    });
    for (auto& [owner, use] : past)
      if (owner.qos.empty() && is_below(cluster, owner.association, a))
        sum.minutes_used += use.tres_s["cpu"] / 60;
    const std::string whose = a.key.account.str() + "/" + a.key.user.str();
    // What the QOS limits is not limited by associations: its jobs may exceed theirs.
    expect_within(sum, a.limits.group, &qos.limits.group, whose);
    if (auto most = a.limits.per_user.jobs; most && a.is_user()) {
      EXPECT_LE(sum.jobs, *most) << whose;
    }
  }
}

void check_plan(const Cluster& cluster, const Plan& p, Time now) {
  Plan again = plan(cluster, now);
  EXPECT_EQ(starts(p), starts(again)) << "the same input gave another plan";
  for (const Wait& wait : p.waits) {
    EXPECT_EQ(reason(p, wait.job.value), reason(again, wait.job.value));
    if (wait.reason == Reason::limit) {
      EXPECT_EQ(find_expected(p, wait.job), nullptr)
          << "job " << wait.job.value << " is promised a time that a limit forbids";
    }
  }
}

void count(Cluster& cluster, Time now) {
  Counted counted = count_usage(cluster, now);
  muster::apply(cluster, UsageCounted{now, counted.reset, std::move(counted.changed)});
}

void end_some(Cluster& cluster, Dice& dice, Time now) {
  for (std::uint32_t id : cluster.active.ids()) {
    const Job job = cluster.jobs.at(JobId{id});
    if (dice.one_in(2) && job.end_limit() > now) continue;
    const Time at = std::min(now, job.end_limit());  // nobody runs longer than allowed
    muster::apply(cluster, JobEnded{.job = job.id, .at = at, .reason = {}, .uncounted = true});
    std::vector<NodeId> nodes(job.run->unfinished.begin(), job.run->unfinished.end());
    muster::apply(cluster, NodesReleased{.job = job.id, .attempt = job.attempt, .nodes = nodes});
  }
}

void check_one_history(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice{std::mt19937(seed)};
  Cluster cluster = random_cluster(dice);
  Time now = t0;
  for (int round = 0; round < 4; ++round, now += Minutes{7}) {
    if (round > 0) end_some(cluster, dice, now);
    if (dice.one_in(2)) count(cluster, now);
    submit(cluster, dice);
    Plan p = plan(cluster, now);
    check_plan(cluster, p, now);
    take_over(cluster, p, now);
    check_limits(cluster, now);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  }
}

TEST(EveryPlan, KeepsTheLimitsOfAssociationsAndTheirPast) {
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    check_one_history(seed);
}

}  // namespace
}  // namespace muster::sched::limits_test
