// What a step is confined to, by cgroup.conf and its launch.
#include "node/confinement.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::uint64_t kMib = 1 << 20;

class Confine : public testing::Test {
 protected:
  Confine() {
    node.groups = Confinement::Groups::v2;
    node.mountpoint = "/sys/fs/cgroup";
    node.base = "slurm_n1";
    node.constrain = true;
    node.memory_mib = 1000;
    node.cpus = {0, 4, 1, 5};
    node.devices = {"/dev/nvidia0", "/dev/nvidia1"};
    launch.ref = {JobId{12}, Attempt{1}, kBatchStep};
    launch.uid = Uid{1001};
    launch.memory_limit_mib = 100;
    launch.share.memory_mib = 100;
  }
  NodeConfinement node;
  wire::StepLaunch launch;
};

TEST_F(Confine, NamesTheGroupsAfterUserJobAndStep) {
  Confinement c = confine(node, launch);
  EXPECT_EQ(c.job_path, "slurm_n1/uid_1001/job_12");
  EXPECT_EQ(c.step_path, "slurm_n1/uid_1001/job_12/step_batch");
  EXPECT_FALSE(c.step_memory_bytes);
}

TEST_F(Confine, MemoryIsWhatWasAskedForWithinTheBounds) {
  node.conf.constrain_ram = true;
  EXPECT_EQ(confine(node, launch).step_memory_bytes, 100 * kMib);
  node.conf.allowed_ram_percent = 150;
  EXPECT_EQ(confine(node, launch).step_memory_bytes, 150 * kMib);
  node.conf.max_ram_percent = 10;
  EXPECT_EQ(confine(node, launch).step_memory_bytes, 100 * kMib);
  launch.memory_limit_mib = launch.share.memory_mib = 5;
  EXPECT_EQ(confine(node, launch).step_memory_bytes, 30 * kMib);
  EXPECT_FALSE(confine(node, launch).step_swap_bytes);
}

TEST_F(Confine, WhoTakesAFileForAJobWithNothingElseHereHasAGroupOfItsOwn) {
  const wire::FileGrant grant{.job = JobId{12}, .owner = Uid{1001}, .memory_mib = 100};
  node.conf.constrain_ram = node.conf.constrain_cores = node.conf.constrain_devices = true;
  const Confinement c = confine_receiver(node, grant);
  EXPECT_EQ(c.job_path, "slurm_n1/uid_1001/job_12");
  EXPECT_EQ(c.step_path, "slurm_n1/uid_1001/job_12/files");
  EXPECT_EQ(c.job_memory_bytes, 100 * kMib);
  EXPECT_EQ(c.step_memory_bytes, 100 * kMib);
  EXPECT_TRUE(c.cpus.empty() && c.denied_devices.empty());
  node.groups = Confinement::Groups::none;
  EXPECT_EQ(confine_receiver(node, grant).groups, Confinement::Groups::none);
}

TEST_F(Confine, AStepMayHaveLessThanItsJob) {
  node.conf.constrain_ram = true;
  launch.share.memory_mib = 40;
  EXPECT_EQ(confine(node, launch).job_memory_bytes, 100 * kMib);
  EXPECT_EQ(confine(node, launch).step_memory_bytes, 40 * kMib);
}

TEST_F(Confine, SwapIsAShareOfTheMemory) {
  node.conf.constrain_swap = true;
  EXPECT_EQ(confine(node, launch).step_swap_bytes, 0u);
  node.conf.allowed_swap_percent = 50;
  EXPECT_EQ(confine(node, launch).step_swap_bytes, 50 * kMib);
}

TEST_F(Confine, CpusAreTheMachinesOwnNumbers) {
  node.conf.constrain_cores = true;
  launch.share.cpus = IdSet::range(1, 2);
  EXPECT_EQ(confine(node, launch).cpus.text(), "1,4");
}

TEST_F(Confine, DevicesThatTheJobDoesNotHaveAreDenied) {
  node.conf.constrain_devices = true;
  launch.device_files = {"/dev/nvidia1"};
  Confinement c = confine(node, launch);
  EXPECT_EQ(c.allowed_devices, std::vector<Text>{"/dev/nvidia1"});
  EXPECT_EQ(c.denied_devices, std::vector<Text>{"/dev/nvidia0"});
}

TEST_F(Confine, WithoutTheTaskPluginNothingIsLimited) {
  node.constrain = false;
  node.conf.constrain_ram = node.conf.constrain_cores = node.conf.constrain_devices = true;
  Confinement c = confine(node, launch);
  EXPECT_FALSE(c.step_memory_bytes);
  EXPECT_TRUE(c.cpus.empty() && c.denied_devices.empty());
}

}  // namespace
}  // namespace muster
