// Which settings stop the daemons, and what slurmctld requires of the file.
#include "config/slurm_conf_checks.h"

#include <gtest/gtest.h>

#include "config/cluster_config.h"
#include "config/files.h"

namespace muster::config {
namespace {

Result<SlurmConf> read(const std::string& text) {
  return load_slurm_conf(files({{"slurm.conf", text}}), "slurm.conf");
}
SlurmConf load(const std::string& text) {
  auto conf = read(kHead + text);
  EXPECT_TRUE(conf) << conf.error().text();
  return conf.value_or(SlurmConf{});
}
// kHead is two lines, so `text` starts at line 3.
std::string error(const std::string& text) {
  auto conf = read(kHead + text);
  return conf ? "no error" : conf.error().detail;
}

TEST(RefusedSettings, WhatWouldProtectAndDoesNotStopsTheDaemon) {
  for (const char* setting :
       {"CliFilterPlugins=lua", "MCSPlugin=mcs/user", "UsePAM=1", "UsePam=yes",
        "NamespaceType=namespace/tmpfs", "CommunicationParameters=EnableIPv6,NoCtldInAddrAny",
        "CommunicationParameters=NoInAddrAny", "SchedulerParameters=defer,default_gbytes",
        "TaskPluginParam=SlurmdOffSpec", "TaskPluginParam=cores,OOMKillStep",
        "PrologFlags=Contain,X11", "PrivateData=events", "PrivateData=cloud"}) {
    const std::string why = error(setting);
    EXPECT_TRUE(why.starts_with("slurm.conf:3: ")) << setting << ": " << why;
    EXPECT_NE(why.find("remove the"), why.npos) << "says what to do: " << why;
  }
}

TEST(RefusedSettings, TheErrorNamesTheWordAlone) {
  EXPECT_TRUE(error("PrivateData=jobs,events").starts_with("slurm.conf:3: PrivateData=events: "));
  EXPECT_TRUE(error("UsePAM=1").starts_with("slurm.conf:3: UsePam=1: "));
}

TEST(RefusedSettings, DefaultsAndWhatActsAreFine) {
  for (const char* setting :
       {"MCSPlugin=mcs/none", "UsePAM=0", "UsePam=no", "NamespaceType=namespace/none",
        "PrivateData=none", "PrivateData=jobs,nodes,partitions,reservations,usage,accounts,users",
        "CommunicationParameters=EnableIPv6", "DisableRootJobs=YES", "TaskPluginParam=Cores",
        "TaskPlugin=task/affinity,task/cgroup", "SchedulerParameters=bf_topopt_enable"})
    EXPECT_EQ(error(setting), "no error") << setting;
}

TEST(RefusedSettings, PluginsThatActAreKnown) {
  for (const char* setting :
       {"SelectType=select/foo", "ProctrackType=proctrack/foo", "TaskPlugin=task/none,task/foo",
        "JobAcctGatherType=jobacct_gather/foo", "AccountingStorageType=accounting_storage/foo",
        "JobSubmitPlugins=all_partitions", "TopologyPlugin=topology/block",
        "JobContainerType=job_container/foo", "AuthType=auth/foo"})
    EXPECT_TRUE(error(setting).starts_with("slurm.conf:3: ")) << setting;
}

TEST(RefusedSettings, AQosThatNeedsAReservationIsNotPassedOver) {
  EXPECT_TRUE(error("QoS=high Flags=DenyOnLimit,RequiresReservation")
                  .starts_with("slurm.conf:3: Flags=RequiresReservation: "));
}

TEST(IgnoredSettings, AValueThatIsTheDefaultIsNotIgnored) {
  SlurmConf conf = load("QoS=normal Priority=0 GraceTime=0 Flags=DenyOnLimit,PartitionMaxNodes\n");
  EXPECT_EQ(conf.ignored_keys, std::vector<std::string>{"QoS Flags=PartitionMaxNodes"});
}

TEST(IgnoredSettings, SlurmdUserActs) {
  EXPECT_EQ(load("SlurmdUser=alice\n").ignored_keys, std::vector<std::string>{});
}

TEST(IgnoredSettings, OfTaskPluginParamSomeWordsAre) {
  EXPECT_EQ(load("TaskPluginParam=cores,autobind=threads\n").ignored_keys,
            std::vector<std::string>{"TaskPluginParam=autobind=threads"});
}

Settings settings(const std::string& text) {
  auto config = cluster_config(load(text), {}, {});
  EXPECT_TRUE(config) << config.error().text();
  return config ? config->settings : Settings{};
}

TEST(Settings, PrivateDataAndBindingReachTheController) {
  EXPECT_FALSE(settings("").private_data.any());
  EXPECT_EQ(settings("PrivateData=Jobs,usage\n").private_data, (PrivateData{.jobs = true,
                                                                            .nodes = false,
                                                                            .partitions = false,
                                                                            .reservations = false,
                                                                            .usage = true}));
  EXPECT_EQ(settings("TaskPluginParam=Verbose,Cores\n").cpu_bind, "cores");
  EXPECT_EQ(settings("TaskPluginParam=autobind=threads\n").cpu_bind, "");
}

TEST(Settings, RootsJobsMayBeDisabledForAllPartitionsButSome) {
  auto config = cluster_config(load("NodeName=n1\nPartitionName=a Nodes=n1\n"
                                    "PartitionName=b Nodes=n1 DisableRootJobs=NO\n"
                                    "DisableRootJobs=YES\n"),
                               {}, {});
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_TRUE(config->partitions[0].disable_root_jobs);
  EXPECT_FALSE(config->partitions[1].disable_root_jobs);
}

std::string controller_error(const std::string& lines, const std::string& host) {
  auto conf = read("ClusterName=c\n" + lines);
  EXPECT_TRUE(conf) << conf.error().text();
  if (!conf) return {};
  auto ok = check_controller(*conf, host);
  return ok ? "" : ok.error().detail;
}

TEST(ControllerHost, IsThisOne) {
  EXPECT_EQ(controller_error("SlurmctldHost=head(10.0.0.1)\n", "head"), "");
  EXPECT_EQ(controller_error("SlurmctldHost=head\n", "HEAD.a.org"), "");
  EXPECT_EQ(controller_error("SlurmctldHost=head.a.org\n", "head"), "");
  EXPECT_EQ(controller_error("SlurmctldHost=localhost\n", "head"), "");
  EXPECT_EQ(controller_error("ControlMachine=head\n", "head"), "");
}

TEST(ControllerHost, OnAnotherSlurmctldDoesNotStart) {
  EXPECT_EQ(controller_error("\nSlurmctldHost=other(10.0.0.1)\n", "head"),
            "slurm.conf:3: SlurmctldHost=other: this host is head; start slurmctld on other or "
            "name this host");
  EXPECT_NE(controller_error("SlurmctldHost=head.a.org\n", "head.b.org"), "");
  EXPECT_TRUE(controller_error("ControlMachine=other\n", "head")
                  .starts_with("slurm.conf:2: ControlMachine=other: this host is head"));
}

TEST(ControllerHost, HasNoBackupYet) {
  EXPECT_EQ(controller_error("SlurmctldHost=head\nSlurmctldHost=spare\n", "head"),
            "slurm.conf:3: SlurmctldHost=spare: there is no backup controller yet; name one host");
  EXPECT_EQ(controller_error("ControlMachine=head\nBackupController=spare\n", "head"),
            "slurm.conf:3: BackupController=spare: there is no backup controller yet; name one "
            "host");
}

TEST(Restart, IsNeededWhereAKeyActsAtTheStart) {
  const SlurmConf before = load("KillWait=3\n");
  EXPECT_EQ(needing_restart(before, before, load("KillWait=5\nSlurmctldPort=6817\n")),
            std::vector<NeededRestart>{})
      << "the default was in force before";
  EXPECT_EQ(needing_restart(before, before, load("SlurmctldPort=7000\nSlurmdSpoolDir=/x\n")),
            (std::vector<NeededRestart>{{"SlurmctldPort", "slurmctld and slurmd"},
                                        {"SlurmdSpoolDir", "slurmd"}}));
}

TEST(Restart, IsNeededUntilTheFileSaysAgainWhatTheControllerRunsWith) {
  const SlurmConf start = load(""), moved = load("SlurmctldPort=7000\nSlurmdSpoolDir=/x\n");
  EXPECT_EQ(needing_restart(start, moved, moved),
            (std::vector<NeededRestart>{{"SlurmctldPort", "slurmctld and slurmd"}}));
  EXPECT_EQ(needing_restart(start, moved, start),
            (std::vector<NeededRestart>{{"SlurmdSpoolDir", "slurmd"}}));
}

TEST(Auth, UnixAndNoneAreNoMunge) {
  EXPECT_TRUE(load("").use_munge);
  EXPECT_TRUE(load("AuthType=AUTH/MUNGE\n").use_munge);
  EXPECT_FALSE(load("AuthType=auth/unix\n").use_munge);
  EXPECT_FALSE(load("AuthType=Auth/None\n").use_munge);
  EXPECT_EQ(load("AuthInfo=\"cred_expire=60, Socket=/run/x\"\n").munge_socket, "/run/x");
  EXPECT_EQ(load("AuthInfo=ttl=9\n").munge_socket, "");
}

}  // namespace
}  // namespace muster::config
