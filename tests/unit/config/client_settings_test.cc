#include "config/client_settings.h"

#include <gtest/gtest.h>

#include "config/files.h"
#include "config/keys/auth.h"

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
    auto quick = quick_client_settings(kHead + text);
    ASSERT_TRUE(quick) << quick.error().text();
    EXPECT_EQ(*quick, client_settings(*full)) << text;
  }
}

TEST(ClientSettings, TakesTheOldControllerKeys) {
  auto quick = quick_client_settings(
      "ClusterName=C\nControlAddr=1.2.3.4\nControlMachine=a\nBackupController=b\n");
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->cluster_name, "c");
  EXPECT_EQ(quick->controllers,
            (std::vector<ControllerHost>{{"a", "1.2.3.4", true}, {"b", "b", false}}));
}

TEST(ClientSettings, FindsTheSocketOfMunge) {
  EXPECT_EQ(munge_socket("ttl=9,Socket=/run/m.socket"), "/run/m.socket");
  EXPECT_EQ(munge_socket("ttl=9"), "");
  EXPECT_EQ(munge_socket(""), "");
}

TEST(ClientSettings, AsksForTheFullParserWhereTheTextIsNotEverything) {
  EXPECT_TRUE(quick_client_settings("Include more.conf\n")->has_include);
  EXPECT_TRUE(quick_client_settings("ClusterName=c \\\nSlurmctldHost=b\n")->has_include);
  EXPECT_FALSE(quick_client_settings(kHead)->has_include);
}

TEST(ClientSettings, SaysWhatIsWrong) {
  EXPECT_FALSE(quick_client_settings(""));
  EXPECT_FALSE(quick_client_settings("ClusterName=c\n"));
  EXPECT_FALSE(quick_client_settings(kHead + "SlurmctldPort=x\n"));
  EXPECT_FALSE(quick_client_settings(kHead + "MessageTimeout=x\n"));
  EXPECT_FALSE(quick_client_settings(kHead + "AuthType=auth/foo\n"));
}

}  // namespace
}  // namespace muster::config
