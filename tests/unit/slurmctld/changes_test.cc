// What slurmctld's log says of a reconfigure.
#include "slurmctld/changes.h"

#include <gtest/gtest.h>

#include "config/cluster_config.h"

namespace muster::daemon {
namespace {

Configuration read_from(std::string_view lines) {
  const config::FileReader reader = [&](const std::string&) -> Result<std::string> {
    return "ClusterName=c\nSlurmctldHost=h\n" + std::string(lines);
  };
  auto conf = config::load_slurm_conf(reader, "slurm.conf");
  EXPECT_TRUE(conf) << conf.error().text();
  auto cluster = config::cluster_config(*conf, {}, {});
  EXPECT_TRUE(cluster) << cluster.error().text();
  return {std::move(*conf), std::move(*cluster)};
}

std::vector<std::string> facts(std::string_view before, std::string_view after) {
  std::vector<std::string> found;
  for (const LogFact& fact : reconfigured(read_from(before), read_from(after)).facts)
    found.push_back(std::string(fact.name) + ": " + fact.value);
  return found;
}
using Facts = std::vector<std::string>;

TEST(Changes, KeysAreThereWithBothValues) {
  EXPECT_EQ(facts("KillWait=3\nMinJobAge=9\n", "KillWait=5\nMinJobAge=9\nMailDomain=x.org\n"),
            Facts{"Changes: KillWait=3->5 MailDomain=->x.org"});
}

TEST(Changes, APasswordIsNotTold) {
  EXPECT_EQ(facts("", "AccountingStoragePass=secret\n"), Facts{"Changes: AccountingStoragePass"});
}

TEST(Changes, LinesAreThereByName) {
  const std::string_view before =
      "NodeName=n[1-4] CPUs=2\nPartitionName=a Nodes=n[1-4]\nPartitionName=b Nodes=n1\n"
      "QoS=low Priority=1\n";
  const std::string_view after =
      "NodeName=n[2-3] CPUs=4\nNodeName=n[4-9] CPUs=2\nPartitionName=a Nodes=n[2-4]\n"
      "PartitionName=c Nodes=n5\nQoS=low Priority=2\nQoS=high Priority=3\n";
  EXPECT_EQ(
      facts(before, after),
      (Facts{"NodesAdded: n[5-9]", "NodesRemoved: n1", "NodesChanged: n[2-3]", "PartitionsAdded: c",
             "PartitionsRemoved: b", "PartitionsChanged: a", "QOSAdded: high", "QOSChanged: low"}));
}

TEST(Changes, NothingIsSaidOfWhatStays) {
  EXPECT_EQ(facts("NodeName=n1\nPartitionName=a Nodes=n1\n",
                  "# a comment\nNodeName=n1\nPartitionName=a Nodes=n1\n"),
            Facts{});
}

}  // namespace
}  // namespace muster::daemon
