// From configuration files to the values that the controller decides on.
#include "config/cluster_config.h"

#include <gtest/gtest.h>

#include "config/files.h"
#include "config/lines/dynamic_node.h"

namespace muster::config {
namespace {

Result<ClusterConfig> configure(const std::string& text, const std::string& gres_text = "") {
  auto read = files({{"slurm.conf", kHead + text}, {"gres.conf", gres_text}});
  auto slurm = load_slurm_conf(read, "slurm.conf");
  if (!slurm) return std::unexpected(slurm.error());
  auto gres = load_gres_conf(read, "gres.conf");
  if (!gres) return std::unexpected(gres.error());
  return cluster_config(*slurm, *gres);
}
ClusterConfig config(const std::string& text, const std::string& gres_text = "") {
  auto made = configure(text, gres_text);
  EXPECT_TRUE(made) << made.error().text();
  return made.value_or(ClusterConfig{});
}
std::string error(const std::string& text, const std::string& gres_text = "") {
  auto made = configure(text, gres_text);
  return made ? "no error" : made.error().detail;
}
std::vector<std::uint32_t> topology(const std::string& line) {
  const NodeConfig node = config("NodeName=n1 " + line).nodes.at(0);
  return {node.cpus, node.boards, node.sockets, node.cores_per_socket, node.threads_per_core};
}
using Numbers = std::vector<std::uint32_t>;

TEST(NodeLine, DerivesTheTopologyAsSlurmDoes) {
  EXPECT_EQ(topology("Weight=1"), (Numbers{1, 1, 1, 1, 1}));
  EXPECT_EQ(topology("CPUs=8"), (Numbers{8, 1, 8, 1, 1}));
  EXPECT_EQ(topology("Procs=4"), (Numbers{4, 1, 4, 1, 1}));
  EXPECT_EQ(topology("CPUs=8 Sockets=2"), (Numbers{2, 1, 2, 1, 1}));
  EXPECT_EQ(topology("Sockets=2 CoresPerSocket=4 ThreadsPerCore=2"), (Numbers{16, 1, 2, 4, 2}));
  EXPECT_EQ(topology("CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2"),
            (Numbers{8, 1, 2, 4, 2}));
  EXPECT_EQ(topology("Boards=2 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2"),
            (Numbers{32, 2, 4, 4, 2}));
  EXPECT_EQ(topology("CPUs=8 ThreadsPerCore=2"), (Numbers{8, 1, 4, 1, 2}));
  EXPECT_EQ(topology("CPUs=8 CoresPerSocket=4"), (Numbers{8, 1, 2, 4, 1}));
  EXPECT_EQ(topology("CPUs=6 Sockets=2 CoresPerSocket=4"), (Numbers{8, 1, 2, 4, 1}));
}

TEST(NodeLine, SpreadsHostsAddressesAndPorts) {
  auto nodes = config(
                   "SlurmdPort=9000\nNodeName=c[1-2] NodeHostname=h[1-2] NodeAddr=10.0.0.[1-2] "
                   "Port=7001-7002\n"
                   "NodeName=d[1-2] NodeHostname=h NodeAddr=127.0.0.1\nNodeName=e")
                   .nodes;
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[1].name, "c2");
  EXPECT_EQ(nodes[1].hostname, "h2");
  EXPECT_EQ(nodes[1].address, "10.0.0.2");
  EXPECT_EQ(nodes[1].port, 7002u);
  EXPECT_EQ(nodes[3].hostname, "h");
  EXPECT_EQ(nodes[3].port, 9000u);
  EXPECT_EQ(nodes[4].address, "e");
}

TEST(NodeLine, StartsFromTheDefaultsInForce) {
  auto nodes = config(
                   "NodeName=DEFAULT RealMemory=1000 Feature=base,x\nNodeName=a\nNodeName=b "
                   "Features=y Weight=5\n"
                   "NodeName=DEFAULT RealMemory=2G\nNodeName=c State=drain Reason=\"broken fan\"")
                   .nodes;
  EXPECT_EQ(nodes[0].memory_mib, 1000u);
  EXPECT_EQ(nodes[0].features, (std::vector<Text>{"base", "x"}));
  EXPECT_EQ(nodes[1].features, (std::vector<Text>{"y"}));
  EXPECT_EQ(nodes[1].weight, 5u);
  EXPECT_EQ(nodes[2].memory_mib, 2048u);
  EXPECT_EQ(nodes[2].state, "DRAIN");
  EXPECT_EQ(nodes[2].reason, "broken fan");
}

TEST(NodeLine, DownNodesChangeTheState) {
  auto nodes = config("DownNodes=n2 State=FAIL Reason=rack\nNodeName=n[1-2]").nodes;
  EXPECT_EQ(nodes[0].state, "UNKNOWN");
  EXPECT_EQ(nodes[1].state, "FAIL");
  EXPECT_EQ(nodes[1].reason, "rack");
}

TEST(NodeLine, SaysWhatIsWrong) {
  EXPECT_EQ(error("NodeName=n[1-2]\nNodeName=n2"),
            "slurm.conf:4: NodeName=n2: the node is already defined at slurm.conf:3");
  EXPECT_EQ(error("NodeName=n1 Foo=2"), "slurm.conf:3: Foo: not a key of a NodeName line");
  EXPECT_EQ(error("NodeName=n1 CPUs=0"), "slurm.conf:3: CPUs=0: expected a number from 1 on");
  EXPECT_EQ(error("NodeName=n[1-3] Port=1-2"),
            "slurm.conf:3: Port=1-2: expected one port or as many as there are nodes (3)");
  EXPECT_EQ(error("NodeName=n1 Gres=gpu:4"), "slurm.conf:3: Gres=gpu:4: gpu is not in GresTypes");
  EXPECT_EQ(error("DownNodes=x"), "slurm.conf:3: DownNodes=x: there is no such node");
  for (const char* bad :
       {"NodeName=n[1", "NodeName=n1 RealMemory=x", "NodeName=n1 State=BORED", "NodeName=n1 Port=0",
        "NodeName=n[1-3] NodeAddr=a,b", "NodeSet=s", "NodeSet=s Nodes=zz", "NodeName=n1 Gres=:3"})
    EXPECT_NE(error(bad).find("slurm.conf:3: "), std::string::npos) << bad << ": " << error(bad);
}

TEST(Settings, OfPreemptionAreTakenFromBothKeys) {
  const PreemptSettings none = config("").settings.preempt;
  EXPECT_FALSE(none.send_user_signal || none.youngest_first || none.strict_order);
  for (const char* text : {"PreemptParameters=send_user_signal,youngest_first,strict_order",
                           "SchedulerParameters=preempt_send_user_signal,preempt_youngest_first,"
                           "preempt_strict_order",
                           "SchedulerParameters=preempt_youngest_first,preempt_strict_order\n"
                           "SlurmctldParameters=preempt_send_user_signal"}) {
    const PreemptSettings all = config(text).settings.preempt;
    EXPECT_TRUE(all.send_user_signal && all.youngest_first && all.strict_order) << text;
  }
}

TEST(Settings, RequeuesHaveTwoLimits) {
  EXPECT_EQ(config("").settings.max_batch_requeue, 5u);
  EXPECT_EQ(config("").settings.max_preempt_requeue, std::nullopt);
  const Settings s =
      config("SchedulerParameters=max_batch_requeue=2,max_preempt_requeue=3").settings;
  EXPECT_EQ(s.max_batch_requeue, 2u);
  EXPECT_EQ(s.max_preempt_requeue, 3u);
}

TEST(Settings, JobFileAppendIsAYesOrNo) {
  EXPECT_EQ(config("").settings.job_file_append, "0");
  EXPECT_EQ(config("JobFileAppend=1").settings.job_file_append, "1");
}

TEST(PartitionLine, ExpandsNodesNodeSetsAndAll) {
  auto made = config(
      "NodeName=a[1-3]\nNodeName=b1 Feature=x\nNodeSet=big Nodes=a[1-3]\nNodeSet=feat Feature=x\n"
      "PartitionName=p1 Nodes=feat,a[2,1]\nPartitionName=p2 Nodes=ALL Default=YES\n"
      "PartitionName=p3 Nodes=big\nPartitionName=p4 Nodes=\"\"");
  EXPECT_EQ(made.partition_nodes[0], (std::vector<Text>{"a1", "a2", "b1"}));
  EXPECT_EQ(made.partition_nodes[1].size(), 4u);
  EXPECT_EQ(made.partition_nodes[2], (std::vector<Text>{"a1", "a2", "a3"}));
  EXPECT_TRUE(made.partition_nodes[3].empty());
  EXPECT_TRUE(made.partitions[1].is_default);
}

TEST(PartitionLine, ReadsItsKeys) {
  auto p =
      config(
          "PartitionName=DEFAULT MaxTime=60\n"
          "PartitionName=a DefaultTime=30 MaxNodes=3 MinNodes=2 Shared=FORCE:2 AllowGroups=g "
          "AllowQos=ALL\n"
          "PartitionName=b MaxTime=UNLIMITED OverSubscribe=YES PriorityTier=5 Hidden=YES "
          "State=DRAIN "
          "DefMemPerCPU=100 MaxMemPerNode=1G OverTimeLimit=UNLIMITED SelectTypeParameters=CR_Core "
          "DefCpuPerGPU=4 PreemptMode=requeue GraceTime=6 Priority=7 "
          "TRESBillingWeights=\"CPU=1.0\"\n")
          .partitions;
  EXPECT_EQ(p[0].max_time, Minutes{60});
  EXPECT_EQ(p[0].default_time, Minutes{30});
  EXPECT_EQ(p[0].max_nodes, 3u);
  EXPECT_EQ(p[0].min_nodes, 2u);
  EXPECT_EQ(p[0].oversubscribe, "FORCE:2");
  EXPECT_EQ(p[0].allow_groups, "g");
  EXPECT_EQ(p[0].allow_qos, "");
  EXPECT_EQ(p[1].max_time, std::nullopt);
  EXPECT_EQ(p[1].oversubscribe, "YES:4");
  EXPECT_EQ(p[1].priority_tier, 7u);
  EXPECT_EQ(p[1].priority_job_factor, 7u);
  EXPECT_TRUE(p[1].hidden);
  EXPECT_EQ(p[1].state, PartitionState::drain);
  EXPECT_EQ(p[1].default_memory_per_cpu_mib, 100u);
  EXPECT_EQ(p[1].max_memory_per_node_mib, 1024u);
  EXPECT_EQ(p[1].over_time_limit, 0xffffffffu);
  EXPECT_EQ(p[1].select_type_parameters, "CR_CORE");
  EXPECT_EQ(p[1].job_defaults, "DefCpuPerGPU=4");
  EXPECT_EQ(p[1].preempt_mode, "REQUEUE");
  EXPECT_EQ(p[1].grace_time_s, 6u);
  EXPECT_EQ(p[1].tres_billing_weights, "CPU=1.0");
}

TEST(PartitionLine, ChecksItsBillingWeights) {
  auto weights = [](const std::string& text) {
    return error("PartitionName=a TRESBillingWeights=" + text);
  };
  EXPECT_EQ(weights("CPU=1.0,Mem=0.25G,GRES/gpu=2"), "no error");
  EXPECT_EQ(weights("CPU=1,Mem=-0.5G"), "no error");
  for (const char* bad : {"CPU", "CPU=x", "Mem=1Q"})
    EXPECT_NE(weights(bad).find("weights of resources"), std::string::npos) << bad;
}

TEST(Settings, SayHowUsageIsRememberedAndShared) {
  auto shares = [](const std::string& text) { return config(text).settings.priority.shares; };
  EXPECT_EQ(shares(""), FairShareSettings{});
  FairShareSettings s = shares(
      "PriorityDecayHalfLife=1-0\nPriorityCalcPeriod=2\nPriorityUsageResetPeriod=weekly\n"
      "PriorityFlags=NO_FAIR_TREE\nFairShareDampeningFactor=3\n");
  EXPECT_EQ(s.half_life, Seconds{86400});
  EXPECT_EQ(s.calc_period, Seconds{120});
  EXPECT_EQ(s.reset, UsageReset::weekly);
  EXPECT_EQ(s.dampening, 3u);
  EXPECT_FALSE(s.fair_tree);
  EXPECT_FALSE(shares("PriorityFlags=DEPTH_OBLIVIOUS\n").fair_tree);
  PrioritySettings p = config("PriorityFlags=NO_NORMAL_ASSOC,MAX_TRES\n").settings.priority;
  EXPECT_TRUE(p.no_normal_assoc && p.max_tres);
  EXPECT_FALSE(p.no_normal_tres || p.no_normal_part || p.accrue_always);
  EXPECT_TRUE(config("AccountingStorageEnforce=safe\n").settings.enforce_limits);
}

TEST(PartitionLine, TheLastDefaultCounts) {
  auto p = config("PartitionName=a Default=YES\nPartitionName=b Default=YES").partitions;
  EXPECT_FALSE(p[0].is_default);
  EXPECT_TRUE(p[1].is_default);
}

TEST(PartitionLine, SaysWhatIsWrong) {
  EXPECT_EQ(error("PartitionName=p Nodes=n9"),
            "slurm.conf:3: PartitionName=p: there is no node or node set n9");
  EXPECT_EQ(error("PartitionName=p\nPartitionName=p"),
            "slurm.conf:4: PartitionName=p: the partition is already defined at slurm.conf:3");
  EXPECT_EQ(error("PartitionName=p Foo=1"), "slurm.conf:3: Foo: not a key of a PartitionName line");
  EXPECT_EQ(error("PartitionName=p State=OPEN"),
            "slurm.conf:3: State=OPEN: expected UP, DOWN, DRAIN or INACTIVE");
  for (const char* bad : {"GraceTime=-1", "OverTimeLimit=-1", "MaxTime=x", "MaxNodes=x",
                          "Default=maybe", "Shared=FORCE:0", "PreemptMode=NEVER", "DefMemPerCPU=x",
                          "SelectTypeParameters=x", "Nodes=n["})
    EXPECT_NE(error(std::string("PartitionName=p ") + bad).find("slurm.conf:3: "),
              std::string::npos)
        << bad;
}

TEST(ClusterConfig, FillsTheSettings) {
  Settings s =
      config(
          "SelectType=select/"
          "cons_tres\nSelectTypeParameters=CR_CPU_Memory\nKillWait=7\nMaxArraySize=10\n"
          "SlurmdParameters=config_overrides\nDependencyParameters=kill_invalid_depend\nLicenses=a:"
          "2,b\n"
          "AccountingStorageEnforce=qos\nEnforcePartLimits=yes\nDefMemPerCPU=100\nMaxMemPerNode=0\n"
          "OverTimeLimit=3\nJobRequeue=0\nGresTypes=gpu,fpga\nAccountingStorageType=accounting_"
          "storage/none")
          .settings;
  EXPECT_EQ(s.cluster_name, "test");
  EXPECT_EQ(s.kill_wait, Seconds{7});
  EXPECT_EQ(s.max_array_size, 10u);
  EXPECT_TRUE(s.memory_is_consumable);
  EXPECT_FALSE(s.use_core_granularity);
  EXPECT_FALSE(s.whole_nodes);
  EXPECT_TRUE(s.config_overrides);
  EXPECT_TRUE(s.kill_on_invalid_dependency);
  EXPECT_TRUE(s.enforce_associations && s.enforce_qos);
  EXPECT_EQ(s.enforce_part_limits, "ALL");
  EXPECT_EQ(s.default_memory_per_cpu_mib, 100u);
  EXPECT_EQ(s.max_memory_per_node_mib, std::nullopt);
  EXPECT_EQ(s.over_time_limit_min, 3u);
  EXPECT_FALSE(s.job_requeue);
  EXPECT_EQ(s.licenses, (std::vector<std::pair<Text, std::uint32_t>>{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(s.gres_types, (std::vector<Text>{"gpu", "fpga"}));
  EXPECT_FALSE(s.accounting);
  Settings plain = config("").settings;
  EXPECT_TRUE(plain.whole_nodes && plain.accounting && plain.job_requeue);
  EXPECT_FALSE(plain.memory_is_consumable);
  EXPECT_EQ(plain.enforce_part_limits, "NO");
}

TEST(Gres, IndicesRunOnThroughTheTypesOfAName) {
  auto gres =
      config(
          "GresTypes=gpu,fpga,lic\nNodeName=n1 Gres=gpu:v100:2,gpu:a100:2,fpga:1,lic:no_consume:3K",
          "NodeName=n[1-2] Name=gpu Type=v100 File=/dev/nvidia[0-1]\n"
          "Name=gpu Type=a100 File=/dev/nvidia2,/dev/nvidia3 Cores=0-3 Flags=nvidia_gpu_env\n"
          "NodeName=n2 Name=fpga File=/dev/fpga0\nAutoDetect=off\n")
          .nodes[0]
          .gres;
  ASSERT_EQ(gres.size(), 4u);
  EXPECT_EQ(gres[0],
            (GresPool{"gpu", "v100", 2, IdSet::range(0, 1), {"/dev/nvidia0", "/dev/nvidia1"}}));
  GresPool a100{"gpu", "a100", 2, IdSet::range(2, 3), {"/dev/nvidia2", "/dev/nvidia3"}};
  a100.cores = {IdSet::range(0, 3), IdSet::range(0, 3)};
  EXPECT_EQ(gres[1], a100);
  EXPECT_EQ(gres[2], (GresPool{"fpga", "", 1, {}, {}}));
  EXPECT_EQ(gres[3], (GresPool{"lic", "", 3072, {}, {}}));
}

TEST(Gres, TakesTypesFromGresConfWhereTheNodeNamesNone) {
  auto gres = config("GresTypes=gpu\nNodeName=n1 Gres=gpu:3",
                     "Name=gpu Type=a File=/dev/a[0-1]\nName=gpu Type=b File=/dev/b0\n")
                  .nodes[0]
                  .gres;
  ASSERT_EQ(gres.size(), 2u);
  EXPECT_EQ(gres[0], (GresPool{"gpu", "a", 2, IdSet::range(0, 1), {"/dev/a0", "/dev/a1"}}));
  EXPECT_EQ(gres[1], (GresPool{"gpu", "b", 1, IdSet::range(2, 2), {"/dev/b0"}}));
}

TEST(Gres, GpusAreNumberedWithoutFilesToo) {
  auto gres = config("GresTypes=gpu\nNodeName=n1 Gres=gpu:4").nodes[0].gres;
  EXPECT_EQ(gres, (std::vector<GresPool>{{"gpu", "", 4, IdSet::range(0, 3), {}}}));
}

TEST(Gres, SaysWhatIsWrong) {
  const std::string node = "GresTypes=gpu\nNodeName=n1 Gres=gpu:4";
  EXPECT_EQ(error(node, "Name=gpu File=/dev/x[0-1]"),
            "slurm.conf:4: NodeName=n1 has Gres=gpu:4, but gres.conf names 2 devices too few");
  EXPECT_EQ(error(node, "\nName=gpu Count=x"),
            "gres.conf:2: Count=x: expected a number, with K, M, G or T if large");
  EXPECT_EQ(error(node, "File=/dev/x"), "gres.conf:1: Name= is missing");
  EXPECT_EQ(error(node, "Name=gpu Foo=1"), "gres.conf:1: Foo: not a key of gres.conf");
  EXPECT_EQ(error(node, "Name=gpu Count=3 File=/dev/x[0-1]"),
            "gres.conf:1: Count=3, but File= names 2 devices");
  for (const char* bad :
       {"AutoDetect=magic", "Name=gpu Cores=a", "Name=gpu Flags=x", "NodeName=n[ Name=gpu"})
    EXPECT_NE(error(node, bad).find("gres.conf:1: "), std::string::npos) << bad;
}

TEST(Settings, SayWhenHealthIsChecked) {
  EXPECT_EQ(config("HealthCheckInterval=9\n").settings.health_check.interval, Seconds{0})
      << "there is no program";
  const std::string program = "HealthCheckProgram=/bin/true\nHealthCheckInterval=9\n";
  EXPECT_EQ(config(program).settings.health_check, (HealthCheck{.interval = Seconds{9}}));
  EXPECT_EQ(config(program + "HealthCheckNodeState=CYCLE\n").settings.health_check,
            (HealthCheck{.interval = Seconds{9}, .any = true, .cycle = true}));
  EXPECT_EQ(config(program + "HealthCheckNodeState=idle,MIXED\n").settings.health_check,
            (HealthCheck{.interval = Seconds{9}, .any = false, .idle = true, .mixed = true}));
}

TEST(PartitionLine, SaysWhenPowerIsSavedOnItsNodes) {
  auto power = [](const std::string& keys) {
    return config("NodeName=n1\nPartitionName=p Nodes=n1 " + keys + "\n").partitions.at(0).power;
  };
  EXPECT_EQ(power(""), PartitionPower{});
  const PartitionPower some =
      power("SuspendTime=60 SuspendTimeout=5 ResumeTimeout=7 PowerDownOnIdle=YES");
  EXPECT_EQ(some.suspend_time, Seconds{60});
  EXPECT_EQ(some.suspend_timeout, Seconds{5});
  EXPECT_EQ(some.resume_timeout, Seconds{7});
  EXPECT_TRUE(some.down_on_idle);
  EXPECT_FALSE(some.stays_on);
  EXPECT_TRUE(power("SuspendTime=INFINITE").stays_on);
}

TEST(Settings, SayWhatPrioritiesDo) {
  const PrioritySettings p =
      config("PriorityFlags=INCR_ONLY,CALCULATE_RUNNING,ACCRUE_ALWAYS\n").settings.priority;
  EXPECT_TRUE(p.increase_only && p.of_running && p.accrue_always);
  EXPECT_FALSE(config("").settings.priority.increase_only);
}

TEST(Settings, SayWhenPowerIsSaved) {
  const PowerSettings none = config("").settings.power;
  EXPECT_FALSE(none.saving);
  EXPECT_EQ(none.suspend_time, std::nullopt);
  EXPECT_EQ(none.down_grace, Seconds{30});
  const PowerSettings some = config(
                                 "SuspendProgram=/bin/a\nResumeProgram=/bin/b\nSuspendTime=60\n"
                                 "SuspendTimeout=5\nResumeTimeout=6\nSuspendExcNodes=n[1-2]\n")
                                 .settings.power;
  EXPECT_TRUE(some.saving);
  EXPECT_EQ(some.suspend_time, Seconds{60});
  EXPECT_EQ(some.suspend_timeout, Seconds{5});
  EXPECT_EQ(some.resume_timeout, Seconds{6});
  EXPECT_EQ(some.except_nodes, (std::vector<Text>{"n1", "n2"}));
  EXPECT_EQ(config("SuspendTime=-1\n").settings.power.suspend_time, std::nullopt);
}

TEST(DynamicNode, IsALineOfItsOwn) {
  auto nodes = parse_node_line("NodeName=d[1-2] CPUs=4 Feature=a,b State=CLOUD", "--conf");
  ASSERT_TRUE(nodes) << nodes.error().text();
  ASSERT_EQ(nodes->size(), 2u);
  EXPECT_EQ((*nodes)[1].name, "d2");
  EXPECT_TRUE((*nodes)[1].dynamic);
  EXPECT_EQ((*nodes)[1].features.size(), 2u);
  EXPECT_FALSE(parse_node_line("CPUs=4", "--conf"));
  EXPECT_FALSE(parse_node_line("NodeName=d1 Nonsense=4", "--conf"));
}

TEST(ClusterConfig, SharesOfGpusAreSpreadOverThem) {
  ClusterConfig c = config("GresTypes=gpu,shard\nNodeName=n1 Gres=gpu:2,shard:9\n",
                           "Name=gpu File=/dev/g[0-1]\nName=shard Count=9\n");
  const GresPool& shards = c.nodes.at(0).gres.at(1);
  EXPECT_EQ(shards.per_device, (std::vector<std::uint64_t>{5, 4}));
  EXPECT_EQ(shards.shares_of(1).text(), "5-8");
  EXPECT_EQ(shards.gpus_of(IdSet::range(4, 5)).text(), "0-1");
}

TEST(ClusterConfig, SharesMayBeOfSomeGpusOnly) {
  ClusterConfig c = config("GresTypes=gpu,shard\nNodeName=n1 Gres=gpu:2,shard:4\n",
                           "Name=gpu File=/dev/g[0-1]\nName=shard Count=4 File=/dev/g1\n");
  EXPECT_EQ(c.nodes.at(0).gres.at(1).per_device, (std::vector<std::uint64_t>{0, 4}));
  EXPECT_NE(error("GresTypes=shard\nNodeName=n1 Gres=shard:4\n").find("no GPUs to share"),
            std::string::npos);
}

TEST(ClusterConfig, GpusKnowTheCoresCloseToThem) {
  ClusterConfig c = config("GresTypes=gpu\nNodeName=n1 CPUs=8 Gres=gpu:4\n",
                           "Name=gpu File=/dev/g[0-1]\nName=gpu File=/dev/g[2-3] Cores=4-7\n");
  const GresPool& gpus = c.nodes.at(0).gres.at(0);
  EXPECT_EQ(gpus.cores_near(IdSet::range(0, 0)).text(), "");
  EXPECT_EQ(gpus.cores_near(IdSet::range(1, 2)).text(), "4-7");
}

}  // namespace
}  // namespace muster::config
