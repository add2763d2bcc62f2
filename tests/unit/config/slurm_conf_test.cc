// slurm.conf: keys, errors with file and line, and scontrol show config.
#include "config/slurm_conf.h"

#include <gtest/gtest.h>

#include "config/files.h"
#include "config/keys/keys.h"

namespace muster::config {
namespace {

SlurmConf load(const std::string& text) {
  auto conf = load_slurm_conf(files({{"slurm.conf", kHead + text}}), "slurm.conf");
  EXPECT_TRUE(conf) << conf.error().text();
  return conf.value_or(SlurmConf{});
}
// The error's text; kHead is two lines, so `text` starts at line 3.
std::string error(const std::string& text) {
  auto conf = load_slurm_conf(files({{"slurm.conf", kHead + text}}), "slurm.conf");
  return conf ? "no error" : conf.error().detail;
}
std::string shown(const SlurmConf& conf, std::string_view key) {
  for (const auto& [name, value] : conf.show_settings())
    if (name == key) return value;
  return "not shown";
}

TEST(SlurmConf, FillsMembersAndDefaults) {
  SlurmConf conf = load("SlurmctldPort=7000-7003 killwait=5\nSlurmdDebug=6\nSlurmUser=slurm\n");
  EXPECT_EQ(conf.cluster_name, "test");
  EXPECT_EQ(conf.controllers, (std::vector<ControllerHost>{{"ctl", "10.0.0.1", true}}));
  EXPECT_EQ(conf.slurmctld_port, 7000);
  EXPECT_EQ(conf.slurmd_port, 6818);
  const NodeSettings node = node_settings(conf);
  EXPECT_EQ(node.kill_wait, Seconds{5});
  EXPECT_EQ(node.slurmd_timeout, Seconds{300});
  EXPECT_EQ(node.slurmd_debug, "debug2");
  EXPECT_EQ(conf.slurmctld_debug, "info");
  EXPECT_EQ(conf.slurm_user, "slurm");
  EXPECT_EQ(conf.program_timeout, Seconds{0});
  EXPECT_EQ(load("PrologEpilogTimeout=9\n").program_timeout, Seconds{9});
}

TEST(SlurmConf, TakesTheOldControllerKeys) {
  auto conf = load_slurm_conf(files({{"s",
                                      "ClusterName=c\nControlMachine=a\nControlAddr=1.2.3.4\n"
                                      "BackupController=b\n"}}),
                              "s");
  ASSERT_TRUE(conf) << conf.error().text();
  EXPECT_EQ(conf->controllers,
            (std::vector<ControllerHost>{{"a", "1.2.3.4", true}, {"b", "b", false}}));
}

TEST(SlurmConf, NeedsAClusterAndAController) {
  auto without = [](const std::string& text) {
    return load_slurm_conf(files({{"s", text}}), "s").error().detail;
  };
  EXPECT_EQ(without("ClusterName=c"), "s: SlurmctldHost is missing");
  EXPECT_EQ(without("SlurmctldHost=c"), "s: ClusterName is missing");
  EXPECT_FALSE(load_slurm_conf(files({}), "s"));
}

TEST(SlurmConf, ListsKnownKeysWithoutEffectOnce) {
  SlurmConf conf = load(
      "BcastParameters=x\nBcastParameters=y\nPropagatePrioProcess=1\nMpiDefault=none\n"
      "FastSchedule=1\n"
      "NodeName=n1 BcastAddr=x\nNodeName=n2 BcastAddr=x\n");
  EXPECT_EQ(conf.ignored_keys, (std::vector<std::string>{"BcastParameters", "PropagatePrioProcess",
                                                         "FastSchedule", "NodeName BcastAddr"}));
}

TEST(SlurmConf, RefusesWeightsAndPluginsThatAreNone) {
  for (const char* bad :
       {"PriorityWeightTRES=cpu", "PriorityWeightTRES=cpu=x", "PriorityWeightTRES=foo=3",
        "PriorityType=priority/foo", "SchedulerType=sched/wiki"})
    EXPECT_NE(error(bad), "no error") << bad;
  EXPECT_EQ(error("PriorityWeightTRES=CPU=1.5,Mem=2,GRES/gpu=3"), "no error");
}

TEST(SlurmConf, KnowsTheWordsOfSchedulerParameters) {
  SlurmConf conf = load(
      "SchedulerParameters=bf_window=4320,defer,BF_CONTINUE,max_switch_wait=5,"
      "bf_hetjob_prio=avg\n");
  EXPECT_EQ(conf.ignored_keys, (std::vector<std::string>{"SchedulerParameters=bf_hetjob_prio"}));
  EXPECT_EQ(error("SchedulerParameters=defer,bf_windoww=3"),
            "slurm.conf:3: SchedulerParameters=bf_windoww=3: unknown word");
  EXPECT_EQ(conf.option("SchedulerParameters", "bf_window"), "4320");
  EXPECT_EQ(error("SchedulerParameters=defer,bf_interval=soon"),
            "slurm.conf:3: SchedulerParameters=bf_interval=soon: expected bf_interval=a number "
            "from 0 to 4294967295");
  for (const char* bad : {"bf_window=0", "bf_max_job_test=-1", "max_script_size=600000000",
                          "correspond_after_task_cnt=9", "bf_hetjob_prio=most", "bf_interval",
                          "max_rpc_cnt=", "delay_boot=x"})
    EXPECT_NE(error(std::string("SchedulerParameters=") + bad), "no error") << bad;
}

TEST(SlurmConf, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error("\nFoo=1"), "slurm.conf:4: Foo: no such key");
  EXPECT_EQ(error("KillWait=soon"),
            "slurm.conf:3: KillWait=soon: expected a number of seconds or INFINITE");
  EXPECT_EQ(error("SlurmctldPort=70000"),
            "slurm.conf:3: SlurmctldPort=70000: expected a port number up to 65535");
  EXPECT_EQ(error("MpiParams=ports=many"),
            "slurm.conf:3: MpiParams=ports=many: expected ports=first-last");
  EXPECT_EQ(error("SelectType=cons_tres"),
            "slurm.conf:3: SelectType=cons_tres: expected one of select/linear, select/cons_res, "
            "select/cons_tres");
  EXPECT_EQ(error("PreemptType=preempt/foo"),
            "slurm.conf:3: PreemptType=preempt/foo: expected one of preempt/none, "
            "preempt/partition_prio, preempt/qos");
  EXPECT_EQ(error("SwitchType=foo"),
            "slurm.conf:3: SwitchType=foo: expected a name that starts with switch/");
  EXPECT_EQ(error("NodeName=x[1-"), "slurm.conf:3: NodeName=x[1-: unbalanced brackets in 'x[1-'");
  EXPECT_EQ(error("EnforcePartLimits=MAYBE"),
            "slurm.conf:3: EnforcePartLimits=MAYBE: expected one of ALL, ANY, NO, YES");
  EXPECT_EQ(error("JobRequeue=often"),
            "slurm.conf:3: JobRequeue=often: expected YES or NO, or 1 or 0");
  EXPECT_EQ(error("SlurmctldHost=a("),
            "slurm.conf:3: SlurmctldHost=a(: expected name or name(address)");
  EXPECT_EQ(error("Licenses=:2"), "slurm.conf:3: Licenses=:2: expected name[:count],...");
  EXPECT_EQ(error("BOOT_TIME=1"), "slurm.conf:3: BOOT_TIME: no such key");
  for (const char* bad :
       {"SlurmctldDebug=loud", "PreemptMode=OFF,MAYBE", "SrunPortRange=5", "DefMemPerCPU=x",
        "PriorityMaxAge=x", "MaxJobCount=-1", "AccountingStorageEnforce=everything"})
    EXPECT_NE(error(bad).find("slurm.conf:3: "), std::string::npos) << bad;
}

TEST(SlurmConf, SuspendedJobsNeedSomebodyToResumeThem) {
  const std::string by_tier = "PreemptType=preempt/partition_prio\n";
  EXPECT_EQ(error(by_tier + "PreemptMode=SUSPEND"),
            "slurm.conf:4: PreemptMode=SUSPEND requires GANG too");
  EXPECT_EQ(load(by_tier + "PreemptMode=SUSPEND,GANG\n").value("PreemptMode"), "SUSPEND,GANG");
}

TEST(SlurmConf, TypeAndModeOfPreemptionBelongTogether) {
  const std::string by_tier = "PreemptType=preempt/partition_prio\n";
  for (const std::string& wrong :
       {by_tier, by_tier + "PreemptMode=OFF\n", by_tier + "PreemptMode=GANG\n",
        by_tier + "PreemptMode=WITHIN\n", by_tier + "PreemptMode=CANCEL,REQUEUE\n",
        std::string("PreemptMode=CANCEL\n"), std::string("PreemptMode=SUSPEND,GANG\n"),
        std::string("PreemptType=preempt/none\nPreemptMode=WITHIN\n"),
        std::string("PreemptType=preempt/prio\nPreemptMode=CANCEL\n")})
    EXPECT_NE(error(wrong), "") << wrong;
  for (const char* right :
       {"PreemptMode=GANG\n", "PreemptType=preempt/qos\nPreemptMode=CANCEL,WITHIN\n",
        "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE,GANG\n"})
    EXPECT_EQ(load(right).value("PreemptMode").empty(), false) << right;
}

TEST(SlurmConf, EveryDefaultIsAValueItsKeyTakes) {
  for (const Key& key : known_keys()) {
    if (key.fallback.empty() || key.use.how == Use::How::row_only) continue;
    EXPECT_TRUE(check_value(key, {}, {std::string(key.name), std::string(key.fallback)}))
        << key.name;
    EXPECT_FALSE(shown_value(key, key.fallback).empty()) << key.name;
  }
}

TEST(SlurmConf, FindsOptionsInParameterLists) {
  SlurmConf conf = load("SchedulerParameters=bf_interval=30,defer\n");
  EXPECT_EQ(conf.option("SchedulerParameters", "bf_interval"), "30");
  EXPECT_EQ(conf.option("SchedulerParameters", "DEFER"), "");
  EXPECT_EQ(conf.option("SchedulerParameters", "def"), std::nullopt);
  EXPECT_EQ(conf.option("SlurmdParameters", "x"), std::nullopt);
}

TEST(SlurmConf, LimitsAndQosEnforcementImplyAssociations) {
  SlurmConf conf = load("AccountingStorageEnforce=limits,QOS\n");
  EXPECT_EQ(shown(conf, "AccountingStorageEnforce"), "associations,limits,qos");
  EXPECT_EQ(shown(load(""), "AccountingStorageEnforce"), "none");
}

TEST(SlurmConf, KeepsQosLines) {
  SlurmConf conf = load("QoS=high Priority=100 MaxWall=1-0 maxtresperuser=gres/gpu=4\nQoS=low\n");
  ASSERT_EQ(conf.qos.size(), 2u);
  EXPECT_EQ(conf.qos[0].priority, 100u);
  EXPECT_EQ(conf.qos[0].limits.max_wall, Minutes{24 * 60});
  EXPECT_EQ(conf.qos[0].limits.per_user.tres, (TresAmounts{{"gres/gpu", 4}}));
  EXPECT_EQ(error("QoS=a\nQoS=a"), "slurm.conf:4: QoS=a: the QoS is already defined");
  EXPECT_EQ(error("QoS=a Foo=1"), "slurm.conf:3: Foo: not a key of a QoS line");
  EXPECT_NE(error("QoS=a Priority=x"), "no error");
  EXPECT_NE(error("QoS=a MaxWall=x"), "no error");
  EXPECT_NE(error("QoS=a MaxTRES=gpus=4"), "no error");
}

TEST(SlurmConf, TakesEveryFlagOfAQos) {
  SlurmConf conf = load("QoS=a MaxWall=10 PreemptExemptTime=9 Flags=PartitionMinNodes,NoReserve\n");
  EXPECT_TRUE(std::ranges::none_of(conf.ignored_keys,
                                   [](std::string_view key) { return key.starts_with("QoS"); }));
}

TEST(ShowSettings, PrintsValuesAsTheReferenceDoes) {
  SlurmConf conf = load(
      "PreemptMode=SUSPEND,GANG\nPreemptType=preempt/partition_prio\nPreemptExemptTime=1:00:00\n"
      "TaskPluginParam=Cores,Verbose,autobind=threads\nHealthCheckNodeState=IDLE,CYCLE\n"
      "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory,CR_LLN\n"
      "OverTimeLimit=UNLIMITED\nSuspendTime=300\nDisableRootJobs=1\nVSizeFactor=110\nResumeRate=7\n"
      "PropagateResourceLimitsExcept=MEMLOCK\nDefMemPerCPU=500\nNodeName=n[1-3]\n"
      "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageTRES=gres/gpu,cpu\n");
  EXPECT_EQ(shown(conf, "ClusterName"), "test");
  EXPECT_EQ(shown(conf, "SlurmctldHost[0]"), "ctl(10.0.0.1)");
  EXPECT_EQ(shown(conf, "PreemptMode"), "GANG,SUSPEND");
  EXPECT_EQ(shown(conf, "PreemptExemptTime"), "01:00:00");
  EXPECT_EQ(shown(conf, "TaskPluginParam"), "verbose,cores,autobind=threads");
  EXPECT_EQ(shown(conf, "HealthCheckNodeState"), "CYCLE,IDLE");
  EXPECT_EQ(shown(conf, "SelectTypeParameters"), "CR_CORE_MEMORY,CR_LLN");
  EXPECT_EQ(shown(conf, "OverTimeLimit"), "UNLIMITED");
  EXPECT_EQ(shown(conf, "SuspendTime"), "300 sec");
  EXPECT_EQ(shown(conf, "DisableRootJobs"), "Yes");
  EXPECT_EQ(shown(conf, "VSizeFactor"), "110 percent");
  EXPECT_EQ(shown(conf, "ResumeRate"), "7 nodes/min");
  EXPECT_EQ(shown(conf, "PropagateResourceLimits"), "(null)");
  EXPECT_EQ(shown(conf, "DefMemPerCPU"), "500");
  EXPECT_EQ(shown(conf, "DefMemPerNode"), "not shown");
  EXPECT_EQ(shown(conf, "MaxMemPerNode"), "UNLIMITED");
  EXPECT_EQ(shown(conf, "MaxNodeCount"), "3");
  EXPECT_EQ(shown(conf, "MaxDBDMsgs"), "20012");
  EXPECT_EQ(shown(conf, "AccountingStorageUser"), "N/A");
  EXPECT_EQ(shown(conf, "AccountingStoragePort"), "6819");
  EXPECT_EQ(shown(conf, "AccountingStorageTRES"),
            "cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu");
  EXPECT_EQ(shown(conf, "SLURM_CONF"), "slurm.conf");
}

TEST(ShowSettings, PrintsTheNamesOfPluginsInTheirOwnSpelling) {
  SlurmConf conf = load(
      "SchedulerType=sched/builtin\nPriorityType=Priority/MultiFactor\nEnforcePartLimits=all\n");
  EXPECT_EQ(shown(conf, "SchedulerType"), "sched/builtin");
  EXPECT_EQ(shown(conf, "PriorityType"), "priority/multifactor");
  EXPECT_EQ(shown(conf, "EnforcePartLimits"), "ALL");
}

TEST(ShowSettings, LeavesOutWhatDoesNotApply) {
  SlurmConf conf = load("");
  EXPECT_EQ(shown(conf, "PriorityWeightAge"), "not shown");
  EXPECT_EQ(shown(conf, "SelectTypeParameters"), "not shown");
  EXPECT_EQ(shown(conf, "KillWait"), "30 sec");
  EXPECT_EQ(shown(conf, "Prolog"), "(null)");
  EXPECT_EQ(shown(conf, "TaskPluginParam"), "(null type)");
  EXPECT_EQ(shown(conf, "SlurmUser"), "root(0)");
  EXPECT_EQ(shown(load("PriorityType=priority/multifactor\n"), "PriorityMaxAge"), "7-00:00:00");
  EXPECT_EQ(conf.show_settings().front().first, "AccountingStorageBackupHost");
  EXPECT_EQ(conf.show_settings().back().first, "X11Parameters");
}

TEST(NodePath, ExpandsNodeAndHost) {
  EXPECT_EQ(expand_node_path("/x/%n.%h.%%n.%z%", "n1", "host.example.org"), "/x/n1.host.%n.%z%");
}

}  // namespace
}  // namespace muster::config
