// scontrol write config: the text of the file.
#include "cli/scontrol/config_file.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

class ConfigFile : public testing::Test {
 protected:
  std::string text() const {
    setenv("TZ", "UTC", 1);
    tzset();
    return config_file_text(config, qos_lines, nodes, partitions);
  }
  bool has(std::string_view line) const {
    return text().find("\n" + std::string(line) + "\n") != std::string::npos;
  }

  wire::ConfigReply config;
  std::vector<std::string> qos_lines;
  wire::NodesReply nodes{.now = from_unix_seconds(1'000'000)};
  wire::PartitionsReply partitions;
};

TEST_F(ConfigFile, SaysSettingsAsAFileDoes) {
  config.settings = {{"KillWait", "30 sec"},
                     {"SlurmUser", "root(0)"},
                     {"SlurmctldHost[0]", "vm(127.0.0.1)"},
                     {"Prolog", "(null)"},
                     {"InteractiveStepOptions", "--interactive --pty"},
                     {"JobDefaults", "DefCpuPerGPU=2,DefMemPerGPU=5"},
                     {"NEXT_JOB_ID", "7"}};
  for (std::string_view line : {"KillWait=30", "SlurmUser=root", "SlurmctldHost=vm(127.0.0.1)",
                                "#Prolog=", "InteractiveStepOptions=\"--interactive --pty\"",
                                "DefCpuPerGPU=2", "DefMemPerGPU=5"})
    EXPECT_TRUE(has(line)) << line << "\n" << text();
  EXPECT_EQ(text().find("NEXT_JOB_ID"), std::string::npos);
}

TEST_F(ConfigFile, StartsWithItsTime) {
  EXPECT_TRUE(
      text().starts_with("########################################################\n"
                         "#  Configuration file for Slurm - 1970-01-12T13:46:40  #\n"
                         "########################################################\n"
                         "#\n#\n#\n################################################\n"
                         "#                   CONTROL                    #\n"))
      << text();
}

TEST_F(ConfigFile, NamesNodesAndPartitionsWithWhatIsUnusualOfThem) {
  Node node;
  node.config.name = "n1";
  node.config.cpus = 8;
  node.config.cores_per_socket = 8;
  node.config.memory_mib = 16000;
  node.config.weight = 3;
  node.config.features = {"fast", "new"};
  node.config.gres_text = "gpu:v100:4";
  nodes.nodes.push_back({.node = Cow<Node>(node)});
  Partition partition{.name = "main", .is_default = true, .max_time = Minutes{90}};
  partition.priority_tier = 5;
  partitions.partitions.push_back({.partition = partition, .nodes = "n1"});
  EXPECT_TRUE(
      has("NodeName=n1 CPUs=8 Sockets=1 CoresPerSocket=8 ThreadsPerCore=1 Gres=gpu:v100:4 "
          "RealMemory=16000 Weight=3 Feature=fast,new"))
      << text();
  EXPECT_TRUE(
      has("PartitionName=main Default=YES MaxTime=01:30:00 Nodes=n1 PriorityTier=5 State=UP"))
      << text();
}

TEST_F(ConfigFile, KeepsTheQosLines) {
  qos_lines = qos_lines_of("ClusterName=c\n  qos=high Priority=10\n#QoS=low\n");
  EXPECT_TRUE(has("qos=high Priority=10")) << text();
  EXPECT_EQ(text().find("low"), std::string::npos);
}

}  // namespace
}  // namespace muster::cli
