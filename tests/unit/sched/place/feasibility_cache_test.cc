// The cache answers as feasible() does.
#include "sched/place/feasibility_cache.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "sched/place/place.h"

namespace muster::sched::feasibility_cache_test {
namespace {

using namespace muster::test;

TEST(FeasibilityCache, AnswersAsFeasibleDoesUntilItIsToldToForget) {
  FeasibilityCache known;
  const Cluster large = ClusterBuilder().nodes(2, 4).build();
  const Cluster small = ClusterBuilder().nodes(2, 2).build();
  const Partition& partition = *large.default_partition();
  ResourceRequest request = *make_request(large, job().memory(10).nodes(1).tasks(3), partition);
  auto shares = known.check(large, request, partition);
  ASSERT_TRUE(shares);
  EXPECT_EQ(**shares, *feasible(large, request, partition));
  request.user = Uid{77};
  EXPECT_TRUE(known.check(small, request, partition)) << "whoever asks, it is known";
  request.tasks = 4;
  EXPECT_FALSE(known.check(small, request, partition)) << "another request is not";
  request.tasks = 3;
  known.forget();
  EXPECT_FALSE(known.check(small, request, partition));
}

TEST(FeasibilityCache, ManyRequestsDoNotMakeItGrowWrong) {
  FeasibilityCache known;
  const Cluster cluster = ClusterBuilder().nodes(1, 2, 1000).build();
  const Partition& partition = *cluster.default_partition();
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t mib = 1; mib <= 200; ++mib) {
      ResourceRequest request = *make_request(cluster, job().memory(mib), partition);
      auto shares = known.check(cluster, request, partition);
      ASSERT_TRUE(shares);
      EXPECT_EQ((*shares)->front().memory_mib, mib);
    }
}

}  // namespace
}  // namespace muster::sched::feasibility_cache_test
