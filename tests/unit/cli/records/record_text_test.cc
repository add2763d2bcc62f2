// scontrol show: records in, text out, exact to the character.
#include "cli/records/record_text.h"

#include <gtest/gtest.h>

#include "base/text/duration.h"

namespace muster::cli {
namespace {

const Time kNoon = from_unix_seconds(1'000'000);

ShowStyle style(bool one_line = false, bool details = false) {
  setenv("TZ", "UTC", 1);
  tzset();
  ShowStyle s;
  s.one_line = one_line;
  s.details = details;
  s.context.now = kNoon + Seconds{2};
  s.context.task_text_limit = 0;
  s.context.names.know(Gid{0}, "staff");
  s.context.names.know(Uid{0}, "root");
  return s;
}

wire::JobView running_job() {
  JobRequest spec;
  spec.user_name = "root";
  spec.name = "keyjob";
  spec.num_tasks = 2;
  spec.cpus_per_task = 2;
  spec.memory_per_node_mib = 500;
  spec.gres = "gpu:1";
  spec.time_limit = Minutes{90};
  spec.comment = "hello";
  spec.mail_type = kMailEnd | kMailFail;
  spec.mail_user = "joe";
  spec.work_dir = "/tmp/w";
  spec.submit_host = "vm";
  spec.submit_sid = 52;
  Job job;
  job.id = JobId{96};
  job.take_request(spec);
  job.state = JobState::running;
  job.priority = 4294901751;
  job.partition = "batch";
  job.account = "root";
  job.qos = "normal";
  job.time_limit = Minutes{90};
  job.submitted = job.eligible = job.accrues_since = job.run.edit().started = kNoon;
  NodeShare share;
  share.node = NodeId{1};
  share.cpus = IdSet::range(0, 3);
  share.memory_mib = 500;
  share.gres = {{"gpu", "v100", 1, IdSet::range(0, 0)}};
  job.run.edit().allocation = {share};
  wire::JobView view;
  view.job = Cow<Job>(job);
  view.nodes = view.batch_host = "n1";
  view.node_names = {"n1"};
  view.last_evaluated = kNoon;
  return view;
}

constexpr std::string_view kRunning =
    "JobId=96 JobName=keyjob\n"
    "   UserId=root(0) GroupId=staff(0) MCS_label=N/A\n"
    "   Priority=4294901751 Nice=0 Account=root QOS=normal\n"
    "   JobState=RUNNING Reason=None Dependency=(null)\n"
    "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
    "   DerivedExitCode=0:0\n"
    "   RunTime=00:00:02 TimeLimit=01:30:00 TimeMin=N/A\n"
    "   SubmitTime=1970-01-12T13:46:40 EligibleTime=1970-01-12T13:46:40\n"
    "   AccrueTime=1970-01-12T13:46:40\n"
    "   StartTime=1970-01-12T13:46:40 EndTime=1970-01-12T15:16:40 Deadline=N/A\n"
    "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=1970-01-12T13:46:40 Scheduler=Main\n"
    "   Partition=batch AllocNode:Sid=vm:52\n"
    "   ReqNodeList=(null) ExcNodeList=(null)\n"
    "   NodeList=n1\n"
    "   BatchHost=n1\n"
    "   NumNodes=1 NumCPUs=4 NumTasks=2 CPUs/Task=2 ReqB:S:C:T=0:0:*:*\n"
    "   TRES=cpu=4,mem=500M,node=1,billing=4,gres/gpu=1\n"
    "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
    "   JOB_GRES=gpu:v100:1\n"
    "     Nodes=n1 CPU_IDs=0-3 Mem=500 GRES=gpu:v100:1(IDX:0)\n"
    "   MinCPUsNode=2 MinMemoryNode=500M MinTmpDiskNode=0\n"
    "   Features=(null) DelayBoot=00:00:00\n"
    "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)\n"
    "   Command=(null)\n"
    "   WorkDir=/tmp/w\n"
    "   Comment=hello \n"
    "   StdErr=/tmp/w/slurm-96.out\n"
    "   StdIn=/dev/null\n"
    "   StdOut=/tmp/w/slurm-96.out\n"
    "   Power=\n"
    "   TresPerNode=gres:gpu:1\n"
    "   MailUser=joe MailType=END,FAIL\n"
    "   \n"
    "\n";

TEST(ScontrolShowJob, PrintsARunningJobWithItsDetails) {
  EXPECT_EQ(job_text(running_job(), style(false, true)), kRunning);
}

TEST(ScontrolShowJob, OnOneLineLinesBecomeBlanks) {
  std::string text = job_text(running_job(), style(true, true));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_TRUE(text.ends_with("Power= TresPerNode=gres:gpu:1 MailUser=joe MailType=END,FAIL \n"));
  EXPECT_NE(text.find("JOB_GRES=gpu:v100:1   Nodes=n1 CPU_IDs=0-3"), text.npos);
}

TEST(ScontrolShowJob, APendingArrayShowsWhatItAsksFor) {
  wire::JobView view = running_job();
  Job& job = view.job.edit();
  job.state = JobState::pending;
  job.run.edit().started = Time{};
  job.run.edit().allocation.clear();
  job.array_id = job.id;
  job.waiting_tasks = IdSet::range(2, 5);
  job.task_limit = 2;
  JobSpec& spec = job.spec.edit();
  spec.min_nodes = spec.max_nodes = 2;
  spec.gres = {};
  spec.gpus_per_node = "1";
  spec.memory_per_node_mib.reset();
  spec.memory_per_cpu_mib = 100;
  view.nodes = view.batch_host = {};
  view.node_names.clear();
  view.reason = "JobArrayTaskLimit";
  view.requested_cpus = 4;
  view.requested_tres = "cpu=4,mem=400M,node=2,billing=4,gres/gpu=2";
  std::string text = job_text(view, style());
  for (const char* part :
       {"JobId=96 ArrayJobId=96 ArrayTaskId=2-5%2 ArrayTaskThrottle=2 JobName=keyjob\n",
        "JobState=PENDING Reason=JobArrayTaskLimit ",
        "StartTime=Unknown EndTime=Unknown Deadline=N/A\n",
        "   NodeList=\n   NumNodes=2-2 NumCPUs=4 NumTasks=2 CPUs/Task=2 ",
        "TRES=cpu=4,mem=400M,node=2,billing=4,gres/gpu=2\n", "MinCPUsNode=2 MinMemoryCPU=100M ",
        "StdOut=/tmp/w/slurm-96_4294967294.out\n", "TresPerNode=gres:gpu:1\n"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(ScontrolShowJob, AHeldJobHasNoPriorityAndIsNotEligible) {
  wire::JobView view = running_job();
  Job& job = view.job.edit();
  job.state = JobState::pending;
  job.hold = Hold::user;
  job.run.edit().started = job.accrues_since = Time{};
  std::string text = job_text(view, style());
  EXPECT_NE(text.find("Priority=0 "), text.npos);
  EXPECT_NE(text.find("EligibleTime=Unknown\n   AccrueTime=Unknown\n"), text.npos);
}

TEST(ScontrolShowJob, AnAllocationHasNoFiles) {
  wire::JobView view = running_job();
  view.job.edit().spec.edit().kind = JobKind::allocation;
  view.job.edit().own.command = "sleep";
  std::string text = job_text(view, style());
  EXPECT_NE(text.find("BatchFlag=0"), text.npos);
  EXPECT_NE(text.find("   Command=sleep\n   WorkDir=/tmp/w\n   Comment=hello \n   Power=\n"),
            text.npos);
}

TEST(ScontrolShowNode, PrintsANodeThatIsInUseAndDrained) {
  Node node;
  node.config.name = "n1";
  node.config.hostname = "vm";
  node.config.address = "127.0.0.1";
  node.config.port = 31001;
  node.config.cpus = node.config.cores_per_socket = 8;
  node.config.memory_mib = 16000;
  node.config.gres = {{"gpu", "v100", 4, IdSet::range(0, 3), {}}};
  node.config.gres_text = "gpu:v100:4";
  node.facts.arch = "x86_64";
  node.facts.os = "Linux 6";
  node.facts.version = "22.05.8";
  node.facts.boot_time = node.facts.slurmd_started = node.last_busy = kNoon;
  node.health = NodeHealth::up;
  node.responding = true;
  node.drain = true;
  node.reason = "maint x";
  node.reason_time = kNoon;
  node.used_cpus = IdSet::range(0, 1);
  node.used_memory_mib = 100;
  node.used_gres = {{"gpu", "v100", 1, IdSet::range(0, 0)}};
  node.jobs.insert(7);
  wire::NodeView view;
  view.node = Cow<Node>(node);
  view.cpu_load = 0.07;
  view.free_memory_mib = 23792;
  view.free_memory_known = true;
  view.partitions = {"batch", "short"};
  EXPECT_EQ(node_text(view, style(false, true)),
            "NodeName=n1 Arch=x86_64 CoresPerSocket=8 \n"
            "   CPUAlloc=2 CPUEfctv=8 CPUTot=8 CPULoad=0.07\n"
            "   AvailableFeatures=(null)\n"
            "   ActiveFeatures=(null)\n"
            "   Gres=gpu:v100:4\n"
            "   GresDrain=N/A\n"
            "   GresUsed=gpu:v100:1(IDX:0)\n"
            "   NodeAddr=127.0.0.1 NodeHostName=vm Port=31001 Version=22.05.8\n"
            "   OS=Linux 6 \n"
            "   RealMemory=16000 AllocMem=100 FreeMem=23792 Sockets=1 Boards=1\n"
            "   State=MIXED+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n"
            "   Partitions=batch,short \n"
            "   BootTime=1970-01-12T13:46:40 SlurmdStartTime=1970-01-12T13:46:40\n"
            "   LastBusyTime=1970-01-12T13:46:40\n"
            "   CfgTRES=cpu=8,mem=16000M,billing=8,gres/gpu=4\n"
            "   AllocTRES=cpu=2,mem=100M,gres/gpu=1\n"
            "   CapWatts=n/a\n"
            "   CurrentWatts=0 AveWatts=0\n"
            "   ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s\n"
            "   Reason=maint x [root@1970-01-12T13:46:40]\n"
            "\n");
}

TEST(ScontrolShowPartition, PrintsLimitsAndDefaults) {
  wire::PartitionView view;
  view.partition.name = "short";
  view.partition.max_time = Minutes{10};
  view.nodes = "n[1-4]";
  view.total_cpus = 32;
  view.total_nodes = 4;
  view.tres = "cpu=32,mem=62.50G,node=4,billing=32,gres/gpu=16";
  EXPECT_EQ(partition_text(view, style()),
            "PartitionName=short\n"
            "   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"
            "   AllocNodes=ALL Default=NO QoS=N/A\n"
            "   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO\n"
            "   MaxNodes=UNLIMITED MaxTime=00:10:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED\n"
            "   Nodes=n[1-4]\n"
            "   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO\n"
            "   OverTimeLimit=NONE PreemptMode=OFF\n"
            "   State=UP TotalCPUs=32 TotalNodes=4 SelectTypeParameters=NONE\n"
            "   JobDefaults=(null)\n"
            "   DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n"
            "   TRES=cpu=32,mem=62.50G,node=4,billing=32,gres/gpu=16\n"
            "\n");
}

TEST(ScontrolShowStep, PrintsANumberedStep) {
  wire::JobView view = running_job();
  Step step;
  step.id = StepId{0};
  step.name = "sleep";
  step.num_tasks = 4;
  step.started = kNoon;
  step.nodes = {{NodeId{1}, {0, 1, 2, 3}, view.job->run->allocation[0]}};
  step.srun_host = "vm";
  step.srun_pid = 4711;
  EXPECT_EQ(step_text(view, step, "", style()),
            "StepId=96.0 UserId=0 StartTime=1970-01-12T13:46:40 TimeLimit=UNLIMITED\n"
            "   State=RUNNING Partition=batch NodeList=n1\n"
            "   Nodes=1 CPUs=4 Tasks=4 Name=sleep Network=(null)\n"
            "   TRES=cpu=4,gres/gpu=1,mem=500M,node=1\n"
            "   ResvPorts=(null)\n"
            "   CPUFreqReq=Default Dist=Block\n"
            "   SrunHost:Pid=vm:4711\n"
            "\n");
}

TEST(ScontrolShowConfig, AlignsValuesUnlessTheKeyIsLonger) {
  wire::ConfigReply config;
  config.settings = {{"ClusterName", "c1"}, {"AccountingStorageBackupHost", "(null)"}};
  style();
  EXPECT_EQ(config_text(config, kNoon),
            "Configuration data as of 1970-01-12T13:46:40\n"
            "ClusterName             = c1\n"
            "AccountingStorageBackupHost = (null)\n"
            "\n");
}

}  // namespace
}  // namespace muster::cli
