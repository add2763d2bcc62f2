// Which questions the controller's own thread answers.
#include <gtest/gtest.h>

#include "controller/view.h"
#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;

Published with_nodes(std::uint32_t count) {
  World w{ClusterBuilder().nodes(count).config()};
  w.submit(job());
  return {w.core.committed(), nullptr, nullptr, {}, nullptr};
}
wire::JobsRequest about(std::vector<wire::JobRef> jobs) {
  return {.filter = {.jobs = std::move(jobs)}};
}

TEST(Query, OfASmallClusterEverythingIsShort) {
  const Published small = with_nodes(10);
  EXPECT_TRUE(has_short_answer(small, about({})));
  EXPECT_TRUE(has_short_answer(small, wire::NodesRequest{}));
}

TEST(Query, OfALargeOneOnlyWhatNamesItsJobs) {
  const Published large = with_nodes(600);
  EXPECT_TRUE(has_short_answer(large, about({{.job = JobId{1}}})));
  EXPECT_TRUE(has_short_answer(large, about({{.job = JobId{99}}})))
      << "nobody has to be looked for";
  EXPECT_FALSE(has_short_answer(large, about({})));
  EXPECT_FALSE(has_short_answer(large, wire::NodesRequest{}));
}

TEST(Query, OnlyAsks) {
  EXPECT_TRUE(is_query(about({})));
  EXPECT_FALSE(is_query(wire::SubmitRequest{}));
}

}  // namespace
}  // namespace muster::controller
