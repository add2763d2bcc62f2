// What each event of a node does to it.
#include <gtest/gtest.h>

#include "state/scenario.h"

namespace muster {
namespace {

using namespace muster::test;

const NodeReason kBroken{.text = "broken", .by = kAlice, .at = t0};
const NodeId kNode{1};

// The first of two nodes that are up, after these events.
Node node_after(std::vector<Event> events) {
  ClusterBuilder b;
  b.nodes(2).node_config([](NodeConfig& node) { node.hostname = "h"; });
  for (Event& event : events) b.event(std::move(event));
  return b.build().nodes.at(kNode);
}

TEST(ApplyNode, OneThatComesUpAnswersAndIsThere) {
  const Node node = node_after({NodeMadeFuture{kNode}, NodeFellSilent{kNode},
                                NodeWentDown{kNode, kBroken}, NodeCameUp{kNode, NodeReason{}}});
  EXPECT_EQ(node.health, NodeHealth::up);
  EXPECT_TRUE(node.responding);
  EXPECT_FALSE(node.future);
  EXPECT_EQ(node.reason, "");
}

TEST(ApplyNode, OneThatAnswersMayStayDown) {
  const Node node = node_after({NodeMadeFuture{kNode}, NodeFellSilent{kNode},
                                NodeWentDown{kNode, kBroken}, NodeAnswered{kNode}});
  EXPECT_EQ(node.health, NodeHealth::down);
  EXPECT_TRUE(node.responding);
  EXPECT_FALSE(node.future);
  EXPECT_EQ(node.reason, "broken");
}

TEST(ApplyNode, OneThatFallsSilentIsNotDown) {
  const Node node = node_after({NodeFellSilent{kNode, kBroken}});
  EXPECT_EQ(node.health, NodeHealth::up);
  EXPECT_FALSE(node.responding);
  EXPECT_EQ(node.reason, "broken");
}

TEST(ApplyNode, OneThatGoesDownHasAReasonWithItsAuthorAndTime) {
  const Node node = node_after({NodeWentDown{kNode, kBroken}});
  EXPECT_EQ(node.health, NodeHealth::down);
  EXPECT_TRUE(node.responding);
  EXPECT_EQ(node.reason, "broken");
  EXPECT_EQ(node.reason_uid, kAlice);
  EXPECT_EQ(node.reason_time, t0);
}

TEST(ApplyNode, AReasonStaysWhereTheEventHasNone) {
  EXPECT_EQ(node_after({NodeDrained{.node = kNode, .reason = kBroken}, NodeWentDown{kNode}}).reason,
            "broken");
}

TEST(ApplyNode, DrainAndFailEndTogether) {
  Node node = node_after({NodeDrained{kNode}, NodeDrained{.node = kNode, .fail = true}});
  EXPECT_TRUE(node.drain && node.fail);
  node = node_after({NodeDrained{.node = kNode, .fail = true, .reason = kBroken}});
  EXPECT_TRUE(node.fail && !node.drain);
  node = node_after({NodeDrained{.node = kNode, .reason = kBroken},
                     NodeDrained{.node = kNode, .fail = true}, NodeUndrained{kNode, NodeReason{}}});
  EXPECT_FALSE(node.drain || node.fail);
  EXPECT_EQ(node.reason, "");
}

TEST(ApplyNode, NothingKeepsAResumedNodeOut) {
  for (bool responding : {false, true}) {
    const Node node =
        node_after({NodeDrained{.node = kNode, .reason = kBroken},
                    NodeDrained{.node = kNode, .fail = true}, NodeWentDown{kNode},
                    NodeMadeFuture{kNode}, NodeResumed{.node = kNode, .responding = responding}});
    EXPECT_FALSE(node.drain || node.fail || node.future);
    EXPECT_EQ(node.health, NodeHealth::up);
    EXPECT_EQ(node.responding, responding);
    EXPECT_EQ(node.reason, "");
    EXPECT_EQ(node.reason_uid, Uid{});
    EXPECT_EQ(node.reason_time, Time{});
  }
}

TEST(ApplyNode, AMachineClaimsANodeAndLosesIt) {
  const NodeClaimed claimed{.node = kNode, .by = {.hostname = "m7", .address = "10.0.0.7"}};
  Node node = node_after({NodeMadeFuture{kNode}, NodeDrained{kNode}, claimed});
  EXPECT_EQ(node.config.hostname, "m7");
  EXPECT_EQ(node.config.address, "10.0.0.7");
  EXPECT_EQ(node.health, NodeHealth::unknown);
  EXPECT_FALSE(node.future || node.drain || node.responding);
  node = node_after({NodeMadeFuture{kNode}, claimed, NodeMadeFuture{kNode}});
  EXPECT_EQ(node.config.hostname, "h");
  EXPECT_EQ(node.claim, NodeClaim{});
  EXPECT_TRUE(node.future);
}

TEST(ApplyNode, PoweringDownEndsTheDrainThatItWaitedFor) {
  const Node node =
      node_after({NodePowerDownAsked{.node = kNode}, NodeDrained{.node = kNode, .reason = kBroken},
                  NodePowerChanged{.node = kNode, .phase = PowerPhase::powering_down, .at = t0}});
  EXPECT_EQ(node.power, (NodePower{.phase = PowerPhase::powering_down, .since = t0}));
  EXPECT_FALSE(node.drain);
  EXPECT_TRUE(node.responding);
}

TEST(ApplyNode, OneThatIsOffNeitherAnswersNorKeepsItsAddress) {
  const Node node =
      node_after({NodeUpdated{.node = kNode, .given = NodeClaim{.hostname = "", .address = "a"}},
                  NodePowerChanged{.node = kNode, .phase = PowerPhase::off, .at = t0}});
  EXPECT_FALSE(node.responding);
  EXPECT_EQ(node.given, NodeClaim{});
  EXPECT_EQ(node.config.address, "");
  EXPECT_EQ(node.health, NodeHealth::up);
}

TEST(ApplyNode, PoweringUpEndsItsBeingDown) {
  const Node node =
      node_after({NodeWentDown{kNode, kBroken},
                  NodePowerChanged{.node = kNode, .phase = PowerPhase::powering_up, .at = t0}});
  EXPECT_EQ(node.health, NodeHealth::up);
  EXPECT_EQ(node.reason, "broken");
}

TEST(ApplyNode, OneThatIsOnHasNotHeardOfPoweringDown) {
  const Node node = node_after({NodePowerDownAsked{.node = kNode, .reason = kBroken},
                                NodePowerChanged{.node = kNode, .at = t0, .reason = NodeReason{}}});
  EXPECT_EQ(node.power, (NodePower{.phase = PowerPhase::on, .since = t0}));
  EXPECT_EQ(node.reason, "");
}

TEST(ApplyNode, AWishToPowerDownIsWithdrawn) {
  EXPECT_TRUE(node_after({NodePowerDownAsked{.node = kNode}}).power.down_asked);
  EXPECT_FALSE(node_after({NodePowerDownAsked{.node = kNode},
                           NodePowerDownAsked{.node = kNode, .withdrawn = true}})
                   .power.down_asked);
}

TEST(ApplyNode, ARebootIsAskedForIssuedAndEnds) {
  const NodeRebootAsked asked{.node = kNode, .next_state = "DOWN", .at = t0, .reason = kBroken};
  Node node = node_after({asked});
  EXPECT_EQ(node.reboot, (NodeReboot{.asked = true, .next_state = "DOWN", .since = t0}));
  EXPECT_FALSE(node.drain);
  EXPECT_EQ(node.reason, "broken");
  const Time later = t0 + Seconds{5};
  node = node_after({asked, NodeRebootIssued{.node = kNode, .at = later}});
  EXPECT_EQ(node.reboot, (NodeReboot{.issued = true, .next_state = "DOWN", .since = later}));
  node = node_after({asked, NodeRebootIssued{.node = kNode, .at = later}, NodeRebootEnded{kNode}});
  EXPECT_EQ(node.reboot, NodeReboot{});
  EXPECT_EQ(node.reason, "broken");
}

TEST(ApplyNode, ARebootAsSoonAsPossibleDrainsTheNode) {
  const NodeRebootAsked asked{.node = kNode, .asap = true, .at = t0};
  EXPECT_TRUE(node_after({asked}).drain);
  EXPECT_TRUE(node_after({asked, NodeRebootEnded{kNode}}).drain);
  EXPECT_FALSE(node_after({asked, NodeRebootEnded{.node = kNode, .undrains = true}}).drain);
}

TEST(ApplyNode, AnUpdateSetsWhatItNamesAndLeavesTheRest) {
  Node node = node_after({NodeUpdated{.node = kNode, .comment = "rack 7", .weight = 3}});
  EXPECT_EQ(node.comment, "rack 7");
  EXPECT_EQ(node.config.weight, 3u);
  EXPECT_EQ(node.extra, "");
  node = node_after({NodeUpdated{.node = kNode, .comment = "rack 7", .weight = 3},
                     NodeUpdated{.node = kNode,
                                 .reason = kBroken,
                                 .comment = "",
                                 .extra = "x",
                                 .available_features = {{"fast", "new"}},
                                 .active_features = {{"new"}},
                                 .cpu_bind = "cores",
                                 .gres = NodeGres{.text = "gpu:2", .pools = {{.name = "gpu"}}},
                                 .given = NodeClaim{.hostname = "m1", .address = "10.0.0.1"}}});
  EXPECT_EQ(node.comment, "");
  EXPECT_EQ(node.config.weight, 3u);
  EXPECT_EQ(node.extra, "x");
  EXPECT_EQ(node.reason, "broken");
  EXPECT_EQ(node.config.features, (std::vector<Text>{"fast", "new"}));
  EXPECT_EQ(node.active_features, std::vector<Text>{"new"});
  EXPECT_EQ(node.config.cpu_bind, "cores");
  EXPECT_EQ(node.config.gres_text, "gpu:2");
  EXPECT_EQ(node.config.gres.size(), 1u);
  EXPECT_EQ(node.config.hostname, "m1");
  EXPECT_EQ(node.config.address, "10.0.0.1");
}

}  // namespace
}  // namespace muster
