// The quick reader of the commands agrees with the full parser.
#include "config/client_settings.h"

#include <gtest/gtest.h>

#include <map>

#include "config/files.h"

namespace muster::config {
namespace {

TEST(ClientSettings, QuickReaderAgreesWithTheFullOne) {
  for (const std::string text :
       {"", "MpiDefault=pmix\n",
        "LaunchParameters=test_exec,use_interactive_step\nInteractiveStepOptions=\"--pty sh\"\n",
        "SlurmctldPort=7000\nslurmuser=abc # who\nMessageTimeout=5 AuthType=Auth/None\n"
        "AuthInfo=socket=/run/munge.2\n"
        "KillWait=7\nWaitTime=3\nKillOnBadExit=1\nPropagateResourceLimitsExcept=CORE\n",
        "SlurmctldHost=b\nAccountingStorageType=\"accounting_storage/none\"\nSlurmctldPidFile = "
        "/x/y.pid\n",
        "  SlurmctldPort=7000-7010\nNodeName=n[1-3] \\\n  CPUs=4 \\\n  "
        "State=UNKNOWN\nPartitionName=p Nodes=ALL\n"}) {
    auto full = load_slurm_conf(files({{"s", kHead + text}}), "s");
    ASSERT_TRUE(full) << full.error().text();
    auto quick = quick_client_settings(kHead + text, "s");
    ASSERT_TRUE(quick) << quick.error().text();
    EXPECT_TRUE(quick->is_whole) << text;
    EXPECT_EQ(quick->settings, client_settings(*full)) << text;
  }
}

TEST(ClientSettings, QuickReaderReadsEveryKeyThatCommandsUse) {
  // One value per kind that is not the default; the check below fails for a kind without one.
  const std::map<Kind, std::string> others = {{Kind::text, "other"}, {Kind::lowercase, "other"},
                                              {Kind::user, "other"}, {Kind::number, "77"},
                                              {Kind::seconds, "77"}, {Kind::port, "77"},
                                              {Kind::flag, "1"},     {Kind::yes_no, "yes"}};
  for (const Key& key : known_keys()) {
    if (!key.stores.client) continue;
    std::string value = key.type.kind == Kind::plugin ? std::string(key.type.expected) : "";
    if (!value.empty()) value = value.substr(value.rfind(',') + 1);
    if (auto other = others.find(key.type.kind); other != others.end()) value = other->second;
    ASSERT_NE(value, "") << key.name;
    const std::string text = kHead + "BatchStartTimeout=3 " + std::string(key.name) + "=" + value;
    auto full = load_slurm_conf(files({{"s", text}}), "s");
    ASSERT_TRUE(full) << full.error().text();
    auto quick = quick_client_settings(text, "s");
    ASSERT_TRUE(quick) << quick.error().text();
    EXPECT_EQ(quick->settings, client_settings(*full)) << key.name;
    EXPECT_NE(quick->settings, quick_client_settings(kHead, "s")->settings) << key.name;
  }
}

TEST(ClientSettings, HaveTheDefaultsOfTheTableWithoutAFile) {
  ClientSettings defaults = default_client_settings();
  EXPECT_EQ(defaults.slurmctld_port, 6817);
  EXPECT_EQ(defaults.message_timeout, Seconds{10});
  EXPECT_TRUE(defaults.use_munge && defaults.accounting && defaults.het_steps);
  EXPECT_EQ(defaults.interactive_step, "--interactive --preserve-env --pty $SHELL");
}

TEST(ClientSettings, TakesTheOldControllerKeys) {
  auto quick = quick_client_settings(
      "ClusterName=C\nControlAddr=1.2.3.4\nControlMachine=a\nBackupController=b\n", "s");
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->settings.cluster_name, "c");
  EXPECT_EQ(quick->settings.controllers,
            (std::vector<ControllerHost>{{"a", "1.2.3.4", true}, {"b", "b", false}}));
}

TEST(ClientSettings, AsksForTheFullParserWhereTheTextIsNotEverything) {
  EXPECT_FALSE(quick_client_settings("Include more.conf\n", "s")->is_whole);
  EXPECT_FALSE(quick_client_settings("ClusterName=c \\\nSlurmctldHost=b\n", "s")->is_whole);
  EXPECT_TRUE(quick_client_settings(kHead, "s")->is_whole);
}

TEST(ClientSettings, SaysWhatIsWrongAndWhere) {
  auto error = [](const std::string& text) {
    auto quick = quick_client_settings(text, "s");
    return quick ? "no error" : quick.error().detail;
  };
  EXPECT_EQ(error(""), "SlurmctldHost is missing");
  EXPECT_EQ(error("ClusterName=c\n"), "SlurmctldHost is missing");
  EXPECT_EQ(error(kHead + "SlurmctldPort=x\n"),
            "s:3: SlurmctldPort=x: expected a port number up to 65535");
  EXPECT_NE(error(kHead + "MessageTimeout=x\n"), "no error");
  EXPECT_NE(error(kHead + "AuthType=auth/foo\n"), "no error");
}

}  // namespace
}  // namespace muster::config
