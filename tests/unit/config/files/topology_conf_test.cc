// topology.conf.
#include "config/files/topology_conf.h"

#include <gtest/gtest.h>

#include "config/files.h"

namespace muster::config {
namespace {

Result<std::vector<Switch>> load(const std::string& text) {
  return load_topology_conf(files({{"topology.conf", text}}), "topology.conf");
}
std::string error(const std::string& text) {
  auto loaded = load(text);
  return loaded ? "no error" : loaded.error().detail;
}

TEST(TopologyConf, LeavesComeFirstAndOthersHaveAllNodesBelow) {
  auto switches = load(
      "SwitchName=top Switches=s[0-1] LinkSpeed=9\n"
      "SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4]\n");
  ASSERT_TRUE(switches.has_value()) << switches.error().text();
  ASSERT_EQ(switches->size(), 3u);
  EXPECT_EQ((*switches)[0].name, "s0");
  EXPECT_EQ((*switches)[0].nodes_text, "n[1-2]");
  const Switch& top = (*switches)[2];
  EXPECT_EQ(top.level, 1u);
  EXPECT_EQ(top.nodes_text, "n[1-4]");
  EXPECT_EQ(top.switches_text, "s[0-1]");
  EXPECT_EQ(top.link_speed, 9u);
}

TEST(TopologyConf, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error("Nodes=n1\n"), "topology.conf:1: SwitchName= is missing");
  EXPECT_EQ(error("\nSwitchName=a\n"),
            "topology.conf:2: SwitchName=a needs either Nodes or Switches");
  EXPECT_EQ(error("SwitchName=a Nodes=n1 Speed=2\n"),
            "topology.conf:1: Speed: not a key of topology.conf");
  EXPECT_EQ(error("SwitchName=a Switches=b\n"), "topology.conf:1: Switches=b: no such switch");
  EXPECT_EQ(error("SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
            "topology.conf:1: SwitchName=a is below itself");
  EXPECT_EQ(error("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n"),
            "topology.conf:2: SwitchName=a: defined twice");
  EXPECT_EQ(error("SwitchName=a Nodes=n1 LinkSpeed=fast\n"),
            "topology.conf:1: LinkSpeed=fast: expected a number");
}

}  // namespace
}  // namespace muster::config
