// Limits of requests in slurm.conf.
#include "config/limit_words.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/cluster_config.h"
#include "config/files.h"

namespace muster::config {
namespace {

Result<RequestLimits> limits(const std::string& line) {
  auto conf = load_slurm_conf(files({{"slurm.conf", kHead + line + "\n"}}), "slurm.conf");
  if (!conf) return std::unexpected(conf.error());
  return cluster_config(*conf, {})->settings.request_limits;
}

TEST(Limits, AreWordsOfSlurmctldParametersAndMaxTasksPerNode) {
  EXPECT_EQ(limits(""), RequestLimits{});
  auto changed = limits(
      "SlurmctldParameters=preempt_send_user_signal,max_text_size=100,MAX_Components=7\n"
      "MaxTasksPerNode=33\nSchedulerParameters=max_script_size=50");
  ASSERT_TRUE(changed) << changed.error().text();
  RequestLimits expected;
  expected.text = 100;
  expected.components = 7;
  expected.tasks_per_node = 33;
  expected.script = 50;
  EXPECT_EQ(*changed, expected);
}

TEST(Limits, AreNumbersThatCanBe) {
  EXPECT_EQ(limits("SlurmctldParameters=max_components=1001").error().detail,
            "slurm.conf:3: SlurmctldParameters=max_components=1001: expected max_components=a "
            "number from 1 to 1000");
  EXPECT_FALSE(limits("SlurmctldParameters=max_text_size"));
  EXPECT_FALSE(limits("SlurmctldParameters=max_text_size=0"));
  EXPECT_FALSE(limits("MaxTasksPerNode=0"));
  EXPECT_FALSE(limits("MaxTasksPerNode=70000"));
}

TEST(Limits, AreAllInTheManualWithTheirDefaults) {
  std::ifstream file(MUSTER_UNIT_TESTS "/../../man/slurm.conf.5");
  std::stringstream manual;
  manual << file.rdbuf();
  const RequestLimits defaults;
  for (const LimitName& word : kLimitWords)
    EXPECT_NE(manual.str().find("\\fB" + std::string(word.name) + "\\fR=\\fI" +
                                std::to_string(defaults.*word.limit) + "\\fR"),
              std::string::npos)
        << word.name;
}

}  // namespace
}  // namespace muster::config
