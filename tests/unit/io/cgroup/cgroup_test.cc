// Control groups: limits with a tree of plain files, processes with the kernel's own tree if this
// machine has one.
#include "io/cgroup/cgroup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/cgroup/files.h"

namespace muster::io {
namespace {

class FakedTree : public testing::Test {
 protected:
  FakedTree() {
    char pattern[] = "/tmp/muster_cgroup.XXXXXX";
    root_ = mkdtemp(pattern);
  }
  ~FakedTree() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  std::string get(const std::string& path) {
    std::ifstream file(root_ + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Confinement confinement(Confinement::Groups groups) {
    Confinement c;
    c.groups = groups;
    c.mountpoint = root_;
    c.job_path = "slurm/uid_0/job_1";
    c.step_path = "slurm/uid_0/job_1/step_0";
    c.job_memory_bytes = 100 << 20;
    c.step_memory_bytes = 50 << 20;
    c.job_swap_bytes = c.step_swap_bytes = 1 << 20;
    c.cpus = IdSet::range(1, 2);
    return c;
  }
  std::string root_;
};

TEST_F(FakedTree, VersionTwoGetsItsLimits) {
  auto group = make_cgroup(confinement(Confinement::Groups::v2));
  ASSERT_TRUE(group) << group.error().text();
  EXPECT_EQ(get("cgroup.subtree_control"), "+memory +cpuset");
  EXPECT_EQ(get("slurm/uid_0/job_1/cgroup.subtree_control"), "+memory +cpuset");
  EXPECT_EQ(get("slurm/uid_0/job_1/memory.max"), "104857600");
  EXPECT_EQ(get("slurm/uid_0/job_1/step_0/memory.max"), "52428800");
  EXPECT_EQ(get("slurm/uid_0/job_1/step_0/memory.swap.max"), "1048576");
  EXPECT_EQ(get("slurm/uid_0/job_1/step_0/cpuset.cpus"), "1-2");
  put("slurm/uid_0/job_1/step_0/memory.events", "low 0\noom 2\noom_kill 1\n");
  put("slurm/uid_0/job_1/step_0/memory.peak", "4096\n");
  EXPECT_EQ((*group)->oom_kills(), 1u);
  EXPECT_EQ((*group)->memory_peak_kib(), 4u);
  ASSERT_TRUE((*group)->freeze(true));
  EXPECT_EQ(get("slurm/uid_0/job_1/step_0/cgroup.freeze"), "1");
}

TEST_F(FakedTree, VersionOneGetsItsLimits) {
  put("cpuset/cpuset.cpus", "0-7\n");
  put("cpuset/cpuset.mems", "0\n");
  for (const char* controller : {"freezer", "memory", "devices"})
    std::filesystem::create_directories(root_ + "/" + controller);
  put("memory/slurm/uid_0/job_1/step_0/memory.memsw.limit_in_bytes", "");
  Confinement c = confinement(Confinement::Groups::v1);
  c.denied_devices = {"/dev/null"};
  auto group = make_cgroup(c);
  ASSERT_TRUE(group) << group.error().text();
  EXPECT_EQ(get("cpuset/slurm/cpuset.cpus"), "0-7");
  EXPECT_EQ(get("cpuset/slurm/uid_0/job_1/step_0/cpuset.cpus"), "1-2");
  EXPECT_EQ(get("memory/slurm/uid_0/job_1/memory.limit_in_bytes"), "104857600");
  EXPECT_EQ(get("memory/slurm/uid_0/job_1/step_0/memory.limit_in_bytes"), "52428800");
  EXPECT_EQ(get("memory/slurm/uid_0/job_1/step_0/memory.memsw.limit_in_bytes"), "53477376");
  EXPECT_EQ(get("devices/slurm/uid_0/job_1/step_0/devices.deny"), "c 1:3 rwm");
}

TEST_F(FakedTree, AMissingControllerIsAnErrorOnlyIfItIsAskedFor) {
  put("cgroup.controllers", "cpuset pids\n");
  config::CgroupConf conf;
  conf.mountpoint = root_;
  conf.constrain_cores = true;
  auto found = detect_cgroups(conf, true);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->groups, Confinement::Groups::v2);
  conf.constrain_ram = true;
  EXPECT_FALSE(detect_cgroups(conf, true));
  EXPECT_TRUE(detect_cgroups(conf, false));
  conf.plugin = "cgroup/v1";
  EXPECT_FALSE(detect_cgroups(conf, false));
}

// The kernel's own groups.
class RealTree : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    config::CgroupConf conf;
    conf.plugin = GetParam();
    auto found = detect_cgroups(conf, false);
    if (!found) GTEST_SKIP() << found.error().text();
    confinement_.groups = found->groups;
    confinement_.mountpoint = found->mountpoint;
    confinement_.job_path = "muster_test/job_" + std::to_string(getpid());
    confinement_.step_path = confinement_.job_path.str() + "/step_0";
  }
  void TearDown() override {
    if (!group_) return;
    while (!group_->processes().empty()) group_->kill();
    group_->remove();
    EXPECT_NE(
        access((confinement_.mountpoint.str() + "/" + confinement_.step_path.str()).c_str(), F_OK),
        0);
  }
  // Runs `body` in a process inside the group; its return value is the exit code.
  template <class Body>
  pid_t inside(Body body) {
    if (!group_) {
      auto made = make_cgroup(confinement_);
      EXPECT_TRUE(made) << made.error().text();
      group_ = std::move(*made);
    }
    pid_t pid = fork();
    if (pid == 0) _exit(group_->enter() ? body() : 99);
    return pid;
  }
  Confinement confinement_;
  std::unique_ptr<Cgroup> group_;
};

TEST_P(RealTree, KillsWhatHasLeftItsParentAndSession) {
  pid_t pid = inside([] {
    setsid();
    if (fork() == 0) {  // as a daemon does it
      setsid();
      while (true) pause();
    }
    return 0;
  });
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(group_->processes().size(), 1u);
  while (!group_->processes().empty()) group_->kill();
}

TEST_P(RealTree, AFrozenProcessDoesNothingUntilThawed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t pid = inside([&] {
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) return 1;
    return 7;
  });
  while (group_->processes().empty()) usleep(1000);
  ASSERT_TRUE(group_->freeze(true));
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, WNOHANG), 0);
  ASSERT_TRUE(group_->freeze(false));
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  close(ends[0]);
  close(ends[1]);
}

TEST_P(RealTree, AForbiddenDeviceCannotBeOpened) {
  const bool is_v1 = confinement_.groups == Confinement::Groups::v1;
  if (is_v1 && access((confinement_.mountpoint.str() + "/devices").c_str(), F_OK) != 0)
    GTEST_SKIP() << "no device controller";
  confinement_.denied_devices = {"/dev/full"};
  pid_t pid = inside([] {
    const bool null_opens = open("/dev/null", O_RDONLY) >= 0;
    const bool full_opens = open("/dev/full", O_RDONLY) >= 0;
    return null_opens && !full_opens && errno == EPERM ? 0 : 1;
  });
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Versions, RealTree, testing::Values("cgroup/v1", "cgroup/v2"),
                         [](const auto& info) {
                           return std::string(info.param).substr(std::string("cgroup/").size());
                         });

}  // namespace
}  // namespace muster::io
