// cgroup.conf.
#include "config/files/cgroup_conf.h"

#include <gtest/gtest.h>

#include "config/files.h"

namespace muster::config {
namespace {

Result<CgroupConf> load(const std::string& text) {
  return load_cgroup_conf(files({{"cgroup.conf", text}}), "cgroup.conf");
}

TEST(CgroupConf, ReadsItsKeys) {
  auto conf = load(
      "CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\nConstrainDevices=no\nAllowedRAMSpace=90.5\n"
      "MinRAMSpace=10\nMemorySwappiness=0\nCgroupSlice=x\nconstrainswapspace=YES\nMaxRAMPercent=50%"
      "\n");
  ASSERT_TRUE(conf) << conf.error().text();
  EXPECT_EQ(conf->plugin, "cgroup/v1");
  EXPECT_TRUE(conf->constrain_ram && conf->constrain_swap);
  EXPECT_FALSE(conf->constrain_devices || conf->constrain_cores);
  EXPECT_EQ(conf->allowed_ram_percent, 90.5);
  EXPECT_EQ(conf->max_ram_percent, 50);
  EXPECT_EQ(conf->min_ram_mib, 10u);
  EXPECT_EQ(conf->memory_swappiness, 0u);
  EXPECT_EQ(conf->ignored_keys, std::vector<std::string>{"CgroupSlice"});
}

TEST(CgroupConf, ShowsItsSettingsAsTheReferenceDoes) {
  auto rows = load("")->show_settings();
  ASSERT_EQ(rows.size(), 19u);
  EXPECT_EQ(rows[0], (std::pair<std::string, std::string>{"AllowedKmemSpace", "(null)"}));
  EXPECT_EQ(rows[1].second, "100.0%");
  EXPECT_EQ(rows[18], (std::pair<std::string, std::string>{"MinRAMSpace", "30 MB"}));
}

TEST(CgroupConf, SaysWhatIsWrong) {
  EXPECT_EQ(load("Foo=1").error().detail, "cgroup.conf:1: Foo: not a key of cgroup.conf");
  EXPECT_EQ(load("\nConstrainCores=maybe").error().detail,
            "cgroup.conf:2: ConstrainCores=maybe: expected yes or no");
  for (const char* bad :
       {"CgroupPlugin=v3", "MaxRAMPercent=-1", "MinRAMSpace=x", "MemorySwappiness=101"})
    EXPECT_FALSE(load(bad)) << bad;
}

}  // namespace
}  // namespace muster::config
