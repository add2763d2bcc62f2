// Words of SlurmctldParameters about the requests of one user.
#include <gtest/gtest.h>

#include "config/files.h"
#include "config/slurm_conf.h"

namespace muster::config {
namespace {

TEST(ControllerWords, AreOffOrAtTheirDefaultsUnlessGiven) {
  auto conf = load_slurm_conf(files({{"slurm.conf", kHead}}), "slurm.conf");
  ASSERT_TRUE(conf) << conf.error().text();
  const ControllerWords& words = conf->words;
  EXPECT_FALSE(words.rl_enable);
  EXPECT_EQ(words.rl_bucket_size, 30u);
  EXPECT_EQ(words.rl_refill_rate, 2u);
  EXPECT_EQ(words.rl_refill_period, 1u);
  EXPECT_EQ(words.rl_table_size, 8192u);
  EXPECT_EQ(words.rl_log_freq, 0u);
  EXPECT_EQ(words.max_user_connections, 0u);
}

TEST(ControllerWords, AreReadFromSlurmctldParameters) {
  auto conf = load_slurm_conf(
      files({{"slurm.conf", kHead + std::string("SlurmctldParameters=cloud_dns,RL_Enable,"
                                                "rl_bucket_size=100,max_user_connections=50\n")}}),
      "slurm.conf");
  ASSERT_TRUE(conf) << conf.error().text();
  const ControllerWords& words = conf->words;
  EXPECT_TRUE(words.rl_enable);
  EXPECT_EQ(words.rl_bucket_size, 100u);
  EXPECT_EQ(words.max_user_connections, 50u);
}

TEST(ControllerWords, ABadNumberIsRefusedWithItsPlace) {
  for (const std::string word : {"rl_refill_rate=0", "rl_refill_rate=x", "rl_refill_rate"}) {
    auto conf = load_slurm_conf(
        files({{"slurm.conf", kHead + ("SlurmctldParameters=rl_enable," + word + "\n")}}),
        "slurm.conf");
    ASSERT_FALSE(conf) << word;
    EXPECT_NE(conf.error().detail.find("slurm.conf:3"), std::string::npos) << conf.error().detail;
    EXPECT_NE(conf.error().detail.find("rl_refill_rate=a number from 1 to"), std::string::npos)
        << conf.error().detail;
  }
}

}  // namespace
}  // namespace muster::config
