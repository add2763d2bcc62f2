// --batch and --prefer: how they choose among a job's nodes at its start.
#include "controller/world.h"

namespace muster::controller::nodes_test {
namespace {

using namespace muster::controller::test;

class BatchNode : public testing::Test {
 protected:
  World w{ClusterBuilder().nodes(2).features({"a", "x"}).nodes(2).features({"b", "x"})};

  std::uint32_t batch_node(std::uint32_t id) const {
    return w.job(id).run->steps.at(kBatchStep).nodes.front().node.value;
  }
  std::string refusal(const SpecBuilder& spec) {
    const wire::Answer answer = w.try_submit(spec);
    const auto* error = std::get_if<Error>(&answer);
    return error ? error->text() : "";
  }
};

TEST_F(BatchNode, IsTheFirstOfTheJobUnlessFeaturesAreAskedFor) {
  const auto first = w.submit(job().memory(10).nodes(4).features("x"));
  EXPECT_EQ(batch_node(first), 1u);
  const auto chosen = w.submit(
      job().memory(10).nodes(4).features("[a*2&b*2]").set(&JobRequest::batch_features, "b"));
  EXPECT_EQ(batch_node(chosen), 3u);
  EXPECT_EQ(w.take<wire::LaunchOrder>().back().first, 3u);
}

TEST_F(BatchNode, FeaturesAreAmongThoseOfTheConstraint) {
  constexpr auto kText = "Job --batch option is invalid or not a subset of --constraints";
  EXPECT_EQ(refusal(job().set(&JobRequest::batch_features, "b")), kText);
  EXPECT_EQ(refusal(job().features("a").set(&JobRequest::batch_features, "b")), kText);
  EXPECT_EQ(refusal(job().memory(10).features("a|b").set(&JobRequest::batch_features, "b")), "");
}

TEST_F(BatchNode, FeaturesThatANodeLosesOrGetsCountAtOnce) {
  const auto set_features = [&](const char* features) {
    const wire::Answer answer =
        w.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node,
                                     .settings = {{"NodeName", "n[1-4]"},
                                                  {"AvailableFeatures", features},
                                                  {"ActiveFeatures", features}}},
                 kRoot);
    const auto* error = std::get_if<Error>(&answer);
    EXPECT_FALSE(error) << error->text();
  };
  EXPECT_EQ(refusal(job().memory(10).features("a")), "");
  set_features("b");
  EXPECT_NE(refusal(job().memory(10).features("a")), "");
  set_features("a");
  EXPECT_EQ(refusal(job().memory(10).features("a")), "");
}

TEST_F(BatchNode, PreferredFeaturesThatItGotAreRemembered) {
  const auto got = w.submit(job().memory(10).nodes(2).set(&JobRequest::prefer, "b"));
  EXPECT_TRUE(w.job(got).run->has_preferred);
  const auto did_not = w.submit(job().memory(10).nodes(3).set(&JobRequest::prefer, "b"));
  EXPECT_EQ(w.job(did_not).state, JobState::running);
  EXPECT_FALSE(w.job(did_not).run->has_preferred);
  EXPECT_EQ(refusal(job().set(&JobRequest::prefer, "nosuch")),
            "Invalid preferred feature specification");
}

}  // namespace
}  // namespace muster::controller::nodes_test
