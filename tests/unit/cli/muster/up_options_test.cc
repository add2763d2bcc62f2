// The options of muster up, and the configuration that follows from them.
#include <gtest/gtest.h>

#include "cli/muster/machine.h"

namespace muster::cli {
namespace {

UpOptions options(std::vector<std::string_view> words) {
  auto parsed = parse_up_options(words);
  EXPECT_TRUE(parsed) << parsed.error().text();
  return parsed.value_or(UpOptions{});
}

EmbeddedLayout layout(std::vector<std::string_view> words, std::vector<std::string> gpus = {}) {
  EmbeddedLayout made;
  made.base = "/home/a b/muster";
  made.user = "alice";
  made.machine = {.host_name = "host",
                  .cpus = 8,
                  .sockets = 1,
                  .cores_per_socket = 4,
                  .threads_per_core = 2,
                  .memory_mib = 16000,
                  .gpus = std::move(gpus)};
  made.options = options(std::move(words));
  return made;
}

TEST(UpOptions, ReadWhatTheyPrint) {
  const std::string text = options({"--nodes", "4", "--gpus=v100:8", "--memory=2G", "--cpus", "3",
                                    "--feature=a,b", "--partition=x,y,x"})
                               .text();
  EXPECT_EQ(text, "--nodes=4 --gpus=v100:8 --cpus=3 --memory=2048 --feature=a,b --partition=x,y");
  EXPECT_EQ(options({}).text(), "");
}

TEST(UpOptions, AreFoundInTheConfigurationThatWasMadeFromThem) {
  const EmbeddedLayout made = layout({"--nodes=3", "--gpus=2"});
  EXPECT_EQ(recorded_options(slurm_conf_text(made))->text(), "--nodes=3 --gpus=2");
  EXPECT_EQ(recorded_options("# nodes: 5\n")->node_count(), 5u);  // of an older version
  EXPECT_FALSE(recorded_options("ClusterName=x\n"));
}

TEST(Layout, PretendedGpusBringTheCpusAndTheMemoryThatBelongToThem) {
  const EmbeddedLayout made = layout({"--nodes=2", "--gpus=4"});
  EXPECT_TRUE(made.pretends_gpus());
  EXPECT_EQ(made.node_cpus(), 24u);
  EXPECT_EQ(made.node_memory_mib(), 131072u);
  EXPECT_EQ(gres_conf_text(made), "");
  EXPECT_EQ(layout({"--gpus=4", "--cpus=2", "--memory=1G"}).node_cpus(), 2u);
}

TEST(Layout, GpusOfTheMachineAreDividedIfThereAreEnough) {
  const EmbeddedLayout made = layout({"--nodes=2", "--gpus=1"}, {"/dev/nvidia0", "/dev/nvidia1"});
  EXPECT_FALSE(made.pretends_gpus());
  EXPECT_EQ(
      gres_conf_text(made),
      "NodeName=node1 Name=gpu File=/dev/nvidia0\nNodeName=node2 Name=gpu File=/dev/nvidia1\n");
  EXPECT_EQ(made.node_cpus(), 8u);
  EXPECT_TRUE(layout({"--nodes=3", "--gpus=1"}, {"/dev/nvidia0"}).pretends_gpus());
}

TEST(Layout, WhatTheSettingsDefineIsNotDefinedTwice) {
  EmbeddedLayout made = layout({"--nodes=2", "--partition=batch"});
  made.own = {.has_lines = true, .nodes = {"node2"}, .partitions = {"main", "batch"}};
  const std::string text = slurm_conf_text(made);
  EXPECT_TRUE(text.contains("NodeName=node1\n")) << text;
  EXPECT_FALSE(text.contains("NodeName=node2")) << text;
  EXPECT_FALSE(text.contains("PartitionName=")) << text;
  EXPECT_TRUE(text.contains("Include settings.conf\n")) << text;
}

}  // namespace
}  // namespace muster::cli
