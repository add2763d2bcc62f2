// The example files that `make install` copies are valid, and confine jobs.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/files/cgroup_conf.h"
#include "config/files/gres_conf.h"
#include "config/slurm_conf_checks.h"

namespace muster::config {
namespace {

Result<std::string> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string example(const std::string& name) {
  return std::string(MUSTER_UNIT_TESTS) + "/../../packaging/" + name + ".example";
}

TEST(Examples, OfSlurmConf) {
  auto conf = load_slurm_conf(read, example("slurm.conf"));
  ASSERT_TRUE(conf) << conf.error().text();
  EXPECT_TRUE(check_controller(*conf, "any"));
  EXPECT_EQ(conf->ignored_keys, std::vector<std::string>{});
  EXPECT_EQ(conf->warnings, std::vector<std::string>{});
  EXPECT_EQ(conf->slurm_user, "slurm");
  const NodeSettings node = node_settings(*conf);
  EXPECT_TRUE(node.track_by_cgroup && node.constrain && node.binds_tasks);
}

TEST(Examples, OfCgroupConf) {
  auto conf = load_cgroup_conf(read, example("cgroup.conf"));
  ASSERT_TRUE(conf) << conf.error().text();
  EXPECT_TRUE(conf->constrain_cores && conf->constrain_ram && conf->constrain_devices);
  EXPECT_EQ(conf->ignored_keys, std::vector<std::string>{});
}

TEST(Examples, OfGresConf) { EXPECT_TRUE(load_gres_conf(read, example("gres.conf"))); }

}  // namespace
}  // namespace muster::config
