// The factors of a job's priority.
#include "sched/priority/priority.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

ClusterBuilder weighted(const std::function<void(PrioritySettings&)>& change) {
  ClusterBuilder b;
  b.nodes(4).settings([&](Settings& s) {
    s.priority.multifactor = true;
    change(s.priority);
  });
  return b;
}
Factors factors_of(ClusterBuilder& b, Time now = t0) {
  Cluster cluster = b.build();
  const Job& job = cluster.jobs.at(JobId{1});
  return Priorities(cluster, now).factors(job, cluster.default_partition());
}

TEST(Priority, WithoutFactorsEarlierJobsAreHigher) {
  auto cluster = ClusterBuilder().nodes(1).pending(1).pending(1).build();
  Priorities p(cluster, t0);
  EXPECT_GT(p.priority_of(cluster.jobs.at(JobId{1}), nullptr),
            p.priority_of(cluster.jobs.at(JobId{2}), nullptr));
}

TEST(Priority, AgeGrowsUpToItsLimit) {
  auto b = weighted([](PrioritySettings& s) {
             s.age = 1000;
             s.max_age = Seconds{3600};
           }).pending(1);
  EXPECT_EQ(factors_of(b, t0 + Minutes{30}).total, 500u);
  EXPECT_EQ(factors_of(b, t0 + Minutes{300}).total, 1000u);
}

TEST(Priority, SizeIsTheShareOfTheCluster) {
  auto heavy = [](PrioritySettings& s) { s.job_size = 1000; };
  auto half = weighted(heavy).pending(job().nodes(2).tasks(16));
  EXPECT_EQ(factors_of(half).total, 500u);
  auto small = weighted([](PrioritySettings& s) {
                 s.job_size = 1000;
                 s.favor_small = true;
               }).pending(job().nodes(2).tasks(16));
  EXPECT_EQ(factors_of(small).total, 500u);
}

TEST(Priority, PartitionsAreComparedWithTheGreatest) {
  ClusterBuilder b;
  b.nodes(2)
      .settings([](Settings& s) {
        s.priority.multifactor = true;
        s.priority.partition = 1000;
      })
      .partition({.name = "plain", .priority_job_factor = 25}, 1, 2)
      .partition({.name = "great", .priority_job_factor = 100}, 1, 2)
      .pending(1);
  EXPECT_EQ(factors_of(b).total, 250u);
}

TEST(Priority, NiceIsSubtractedAndNeverGoesBelowOne) {
  auto b = weighted([](PrioritySettings& s) {
             s.job_size = 1000;
           }).pending(job().nodes(4).tasks(32).set(&JobRequest::nice, 400));
  EXPECT_EQ(factors_of(b).total, 600u);
  auto c = weighted([](PrioritySettings&) {}).pending(job().set(&JobRequest::nice, 10000));
  EXPECT_EQ(factors_of(c).total, 1u);
}

TEST(Priority, TheSiteFactorIsAdded) {
  auto b = weighted([](PrioritySettings& s) {
             s.job_size = 1000;
           }).pending(job().nodes(4).tasks(32).set(&JobRequest::site_factor, 50));
  EXPECT_EQ(factors_of(b).site, 50);
  EXPECT_EQ(factors_of(b).total, 1050u);
}

TEST(Priority, UsersWhoHaveUsedMoreComeLater) {
  auto cluster = weighted([](PrioritySettings& s) { s.fair_share = 1000; })
                     .used({}, "alice", 3600)
                     .used({}, "bob", 60)
                     .pending(job())
                     .pending(job().user(kBob))
                     .build();
  Priorities priorities(cluster, t0);
  EXPECT_EQ(priorities.priority_of(cluster.jobs.at(JobId{1}), nullptr), 500u);
  EXPECT_EQ(priorities.priority_of(cluster.jobs.at(JobId{2}), nullptr), 1000u);
  EXPECT_EQ(starts(plan(cluster, t0)), "2 1");
}

TEST(Priority, AnAssociationHasOneOfItsOwn) {
  auto prioritized = [](Text user, std::uint32_t priority) {
    return Association{.key = {.account = "a", .user = user}, .parent = {}, .priority = priority};
  };
  auto with = [&](bool as_it_is) {
    auto b = weighted([&](PrioritySettings& s) {
      s.association = 10;
      s.no_normal_assoc = as_it_is;
    });
    b.account("a").association(prioritized("alice", 20)).association(prioritized("bob", 80));
    b.pending(job().account("a"));
    return factors_of(b).total;
  };
  EXPECT_EQ(with(false), 2u);  // a quarter of the maximum, times 10, rounded down
  EXPECT_EQ(with(true), 200u);
}

TEST(Priority, AgeCountsFromWhenItAccruesUnlessItAlwaysDoes) {
  auto with = [&](bool always) {
    auto b = weighted([&](PrioritySettings& s) {
      s.age = 1000;
      s.max_age = Seconds{3600};
      s.accrue_always = always;
    });
    b.pending(job().begin(t0 + Minutes{30}));
    return factors_of(b, t0 + Minutes{45}).total;
  };
  EXPECT_EQ(with(false), 250u);
  EXPECT_EQ(with(true), 750u);
}

TEST(Priority, ResourcesCountAsTheyAreWhereNothingIsNormalized) {
  auto b = weighted([](PrioritySettings& s) {
    s.tres = {{"cpu", 3}};
    s.no_normal_tres = true;
  });
  b.pending(job().tasks(8));
  EXPECT_EQ(factors_of(b).total, 24u);
}

TEST(Priority, EachResourceHasItsOwnWeight) {
  auto b = weighted([](PrioritySettings& s) { s.tres = {{"cpu", 320}, {"gres/gpu", 100}}; });
  b.gpus(2).pending(job().tasks(8).gpus("4"));
  EXPECT_EQ(factors_of(b).total, 80u + 50u);
}

TEST(Priority, APriorityThatWasSetStays) {
  auto cluster = weighted([](PrioritySettings& s) { s.age = 1000; }).pending(1).build();
  Job& job = cluster.jobs.edit(JobId{1});
  job.priority = 77;
  job.priority_fixed = true;
  EXPECT_EQ(Priorities(cluster, t0).priority_of(job, nullptr), 77u);
}

TEST(Priority, OfARunningJobIsWhatItStartedWithUnlessItIsCalculatedOn) {
  auto with = [](bool on) {
    auto b = weighted([&](PrioritySettings& s) {
      s.age = 1000;
      s.max_age = Seconds{3600};
      s.of_running = on;
    });
    b.pending(1).start(1, {whole_node(b.build().nodes.at(NodeId{1}))});
    Cluster cluster = b.build();
    cluster.jobs.edit(JobId{1}).priority = 77;
    return Priorities(cluster, t0 + Minutes{30}).priority_of(cluster.jobs.at(JobId{1}), nullptr);
  };
  EXPECT_EQ(with(false), 77u);
  EXPECT_EQ(with(true), 500u);
}

TEST(Priority, NeverFallsWithIncrOnly) {
  auto with = [](bool only_increase) {
    auto b = weighted([&](PrioritySettings& s) {
      s.job_size = 1000;
      s.increase_only = only_increase;
    });
    b.pending(job().nodes(2).tasks(16));
    b.event(PrioritiesReached{.jobs = {{JobId{1}, 900}}});
    Cluster cluster = b.build();
    return Priorities(cluster, t0).priority_of(cluster.jobs.at(JobId{1}), nullptr);
  };
  EXPECT_EQ(with(true), 900u);
  EXPECT_EQ(with(false), 500u);
}

TEST(Priority, DecidesWhichJobStartsFirst) {
  auto cluster = weighted([](PrioritySettings& s) { s.job_size = 1000; })
                     .pending(1)
                     .pending(job().nodes(4).tasks(32).minutes(10))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "2");
}

}  // namespace
}  // namespace muster::sched
