// The queue that is kept between plans, and plans that only look for starts.
#include "sched/queue.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "sched/priority/priority.h"
#include "sched/timeline/shape.h"

namespace muster::sched {
namespace {

using namespace muster::test;

std::vector<std::uint32_t> order(Queue& queue, const Cluster& cluster) {
  std::vector<std::uint32_t> ids;
  queue.visit_in_order(cluster, [&](const Queue::Entry& place) {
    ids.push_back(place.job.value);
    return true;
  });
  return ids;
}
using Ids = std::vector<std::uint32_t>;

TEST(Queue, AddsNewJobsAndDropsJobsThatNoLongerWait) {
  ClusterBuilder builder;
  builder.nodes(4).pending(1).pending(1).pending(1);
  Queue queue;
  queue.update_to(builder.build(), Priorities(builder.build(), t0), t0, true);
  builder.start(2, {whole_node(builder.build().nodes.at(NodeId{1}))});
  builder.pending(1).pending(1);
  const Cluster cluster = builder.build();
  queue.update_to(cluster, Priorities(cluster, t0), t0, false);
  EXPECT_EQ(order(queue, cluster), (Ids{1, 3, 4, 5}));
}

TEST(Queue, PutsANewJobWhereItsPriorityBelongs) {
  ClusterBuilder builder;
  builder.nodes(1).pending(1).pending(1);
  Queue queue;
  queue.update_to(builder.build(), Priorities(builder.build(), t0), t0, true);
  builder.pending(1);
  Cluster cluster = builder.build();
  cluster.jobs.edit(JobId{3}).priority = 0xfffffff0u;
  queue.update_to(cluster, Priorities(cluster, t0), t0, false);
  EXPECT_EQ(order(queue, cluster), (Ids{3, 1, 2}));
}

// Some later jobs leave before the first ones do, and new jobs arrive.
TEST(Queue, ForgetsJobsThatLeaveBetweenOthers) {
  ClusterBuilder builder;
  builder.nodes(1).pending(1);
  Queue queue;
  Cluster cluster = builder.build();
  queue.update_to(cluster, Priorities(cluster, t0), t0, true);
  Ids left{1};
  for (std::uint32_t id = 2; id < 1000; ++id) {
    cluster.jobs.put(JobId{id}, make_job(JobId{id}, job(), cluster));
    cluster.pending.insert(id);
    cluster.next_job_id = JobId{id + 1};
    queue.update_to(cluster, Priorities(cluster, t0), t0, false);
    if (id % 50 == 0)
      left.push_back(id);
    else
      cluster.pending.erase(id);
    ASSERT_EQ(order(queue, cluster), left) << id;
  }
}

TEST(Queue, GivesTheSamePlanAsANewQueue) {
  ClusterBuilder builder;
  builder.nodes(3).running(1, 60);
  PlannerCache kept;
  for (int i = 0; i < 6; ++i) {
    builder.pending(1, 10 + i);
    const Cluster cluster = builder.build();
    Budget quick = quick_budget(cluster);
    quick.order_changed = i == 0;
    EXPECT_EQ(starts(plan(cluster, t0, quick, kept)), starts(plan(cluster, t0)));
  }
}

TEST(QuickPlan, StopsWhenNothingIsFreeAndSaysSo) {
  ClusterBuilder builder;
  builder.nodes(2).running(2, 60);
  for (int i = 0; i < 10; ++i) builder.pending(1, 10);
  const Cluster cluster = builder.build();
  Budget budget = quick_budget(cluster);
  budget.max_probes_when_full = 0;
  PlannerCache cache;
  const Plan p = plan(cluster, t0, budget, cache);
  EXPECT_FALSE(p.complete);
  EXPECT_TRUE(p.waits.empty());
  EXPECT_TRUE(plan(cluster, t0).complete);
}

TEST(QuickPlan, StillStartsWhatFitsBehindAJobThatDoesNot) {
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4, 30).pending(1, 60).build();
  PlannerCache cache;
  EXPECT_EQ(starts(plan(cluster, t0, quick_budget(cluster), cache)), "3");
}

TEST(Shapes, AreSharedByJobsWithEqualRequests) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .pending(job().tasks(2))
                     .pending(job().tasks(2).user(kBob))
                     .pending(job().tasks(1))
                     .build();
  NodeIndex index;
  index.update_to(cluster);
  Shapes shapes(cluster, t0, index, false);
  const StartTarget target{cluster.default_partition(), nullptr};
  auto shape_of = [&](std::uint32_t id) {
    return &shapes.shape_for(cluster.jobs.at(JobId{id}), target);
  };
  EXPECT_EQ(shape_of(1), shape_of(2));
  EXPECT_NE(shape_of(1), shape_of(3));
  Shapes by_user(cluster, t0, index, true);
  EXPECT_NE(&by_user.shape_for(cluster.jobs.at(JobId{1}), target),
            &by_user.shape_for(cluster.jobs.at(JobId{2}), target));
}

}  // namespace
}  // namespace muster::sched
