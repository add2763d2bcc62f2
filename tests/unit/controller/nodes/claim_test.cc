// slurmd -F: machines that become nodes in state FUTURE. And scontrol's changes of nodes.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::nodes_test {
namespace {

using namespace muster::controller::test;

// n1 has four CPUs, n2 and n3 eight; n3 has a feature.
ClusterConfig of_the_future() {
  ClusterBuilder b;
  b.nodes(1, 4).nodes(2, 8);
  ClusterConfig config = b.config();
  for (NodeConfig& node : config.nodes) node.state = "FUTURE";
  config.nodes[2].features = {"fast"};
  return config;
}
wire::ClaimNodeRequest machine(Text name, std::uint32_t cpus, Text feature = {}) {
  wire::ClaimNodeRequest request{.by = {name, "10.0.0.1"}, .feature = std::move(feature)};
  request.facts.cpus = request.facts.cores = cpus;
  request.facts.sockets = request.facts.threads = 1;
  return request;
}
// The name of the claimed node, or "".
std::string claimed(World& w, wire::ClaimNodeRequest request, Uid uid = kRoot) {
  wire::Answer answer = w.answer(std::move(request), uid);
  auto* reply = std::get_if<wire::ClaimNodeReply>(&answer);
  return reply ? reply->name.str() : "";
}
const Node& node(const World& w, std::uint32_t id) { return w.core.cluster().nodes.at(NodeId{id}); }
wire::Answer set_node(World& w, std::vector<std::pair<std::string, std::string>> settings) {
  settings.insert(settings.begin(), {"NodeName", "n2"});
  return w.answer(
      wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node, .settings = std::move(settings)},
      kRoot);
}

TEST(Claim, AMachineBecomesTheFirstNodeThatIsLikeIt) {
  World w{of_the_future()};
  EXPECT_EQ(claimed(w, machine("a", 8)), "n2");
  EXPECT_EQ(claimed(w, machine("b", 8)), "n3");
  EXPECT_EQ(claimed(w, machine("c", 8)), "") << "none is left";
  EXPECT_EQ(claimed(w, machine("c", 4, "fast")), "");
  EXPECT_EQ(claimed(w, machine("c", 4)), "n1");
  EXPECT_EQ(node(w, 2).config.hostname, "a");
  EXPECT_EQ(node(w, 2).config.address, "10.0.0.1");
  EXPECT_FALSE(node(w, 2).future);
}

TEST(Claim, AFeatureSelects) {
  World w{of_the_future()};
  EXPECT_EQ(claimed(w, machine("a", 8, "fast")), "n3");
}

TEST(Claim, IsForAdministrators) {
  World w{of_the_future()};
  EXPECT_EQ(claimed(w, machine("a", 8), kAlice), "");
  EXPECT_TRUE(node(w, 2).future);
}

TEST(Claim, LastsUntilTheNodeIsGivenBack) {
  World w{of_the_future()};
  claimed(w, machine("a", 8));
  EXPECT_EQ(claimed(w, machine("a", 8, "fast")), "n2") << "it has been one before";
  w.join(2);
  EXPECT_EQ(node_state_long(node(w, 2)), "IDLE+DYNAMIC_FUTURE");
  set_node(w, {{"State", "FUTURE"}});
  EXPECT_EQ(node_state_long(node(w, 2)), "FUTURE");
  EXPECT_EQ(node(w, 2).config.hostname, Text());
  EXPECT_EQ(claimed(w, machine("b", 8)), "n2");
}

TEST(NodeState, DrainsOrFailsAsWasSaidLast) {
  World w{ClusterBuilder().nodes(2)};
  set_node(w, {{"State", "DRAIN"}, {"Reason", "one"}});
  set_node(w, {{"State", "FAIL"}, {"Reason", "two"}});
  EXPECT_EQ(node_state_long(node(w, 2)), "IDLE+FAIL");
  set_node(w, {{"State", "DRAIN"}, {"Reason", "three"}});
  EXPECT_EQ(node_state_long(node(w, 2)), "IDLE+DRAIN");
  set_node(w, {{"State", "FAIL"}, {"Reason", "four"}});
  set_node(w, {{"State", "UNDRAIN"}});
  EXPECT_EQ(node_state_long(node(w, 2)), "IDLE");
}

TEST(NodeState, OnlyOutOfServiceHasAReason) {
  World w{ClusterBuilder().nodes(2)};
  set_node(w, {{"Reason", "note"}});
  EXPECT_EQ(node(w, 2).reason, Text());
  set_node(w, {{"State", "DRAIN"}, {"Reason", "one"}});
  set_node(w, {{"Reason", ""}});
  EXPECT_EQ(node(w, 2).reason, "one");
  set_node(w, {{"Reason", "two"}});
  EXPECT_EQ(node(w, 2).reason, "two");
}

TEST(NodeFeatures, ActiveOnesAreSomeOfThoseAvailable) {
  World w{ClusterBuilder().nodes(2)};
  set_node(w, {{"ActiveFeatures", "slow"}});
  EXPECT_TRUE(node(w, 2).active_features.empty());
  set_node(w, {{"AvailableFeatures", "fast,slow"}, {"ActiveFeatures", "slow"}});
  EXPECT_EQ(node(w, 2).config.features, (std::vector<Text>{"fast", "slow"}));
  EXPECT_EQ(node(w, 2).active_features, std::vector<Text>{"slow"});
}

}  // namespace
}  // namespace muster::controller::nodes_test
