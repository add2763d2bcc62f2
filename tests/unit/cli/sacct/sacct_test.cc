// sacct: accounting rows in, text out, to the character.
#include <gtest/gtest.h>

#include <initializer_list>

#include "base/text/duration.h"
#include "cli/sacct/list.h"

namespace muster::cli {
namespace {

constexpr Time kNow = from_unix_seconds(1'794'793'000);
constexpr Time kStart = from_unix_seconds(1'794'792'726);  // 2026-11-16T01:32:06

struct RowBuilder {
  AccountingRow row;

  explicit RowBuilder(std::uint32_t id, std::string_view name = "wrap") {
    JobRecord& job = row.job;
    job.job = JobId{id};
    job.name = name;
    job.partition = "batch";
    job.account = "root";
    job.user_name = "root";
    job.requested_cpus = job.requested_nodes = 1;
    job.requested_memory = "16000M";
    job.requested_tres = "billing=1,cpu=1,mem=16000M,node=1";
    job.submitted = kStart;
  }
  RowBuilder& ended(JobState state, std::string_view text, Seconds after, std::uint32_t status) {
    JobRecord& job = row.job;
    job.state = state;
    job.state_text = text;
    job.eligible = job.started = kStart;
    job.ended = kStart + after;
    job.exit_status = status;
    job.allocated_cpus = job.allocated_nodes = 1;
    job.allocated_tres = "billing=1,cpu=1,mem=16000M,node=1";
    job.nodes = "n1";
    return *this;
  }
  RowBuilder& step(StepId id, std::string_view name, JobState state, std::uint32_t status) {
    StepRecord step;
    step.job = row.job.job;
    step.step = id;
    step.name = name;
    step.state = state;
    step.num_tasks = step.num_cpus = step.num_nodes = 1;
    step.nodes = "n1";
    step.started = row.job.started;
    step.ended = row.job.ended;
    step.exit_status = status;
    row.steps.push_back(step);
    return *this;
  }
  RowBuilder& array(std::uint32_t id, std::uint32_t task, std::string_view waiting = "") {
    row.job.array_id = JobId{id};
    row.job.task_id = task;
    row.job.waiting_tasks = waiting;
    return *this;
  }
};

std::expected<AcctOptions, Refusal> parse(std::initializer_list<const char*> words) {
  return parse_sacct(std::vector<std::string>(words.begin(), words.end()), kNow);
}
std::string list(const std::vector<AccountingRow>& rows,
                 std::initializer_list<const char*> words = {}) {
  setenv("TZ", "UTC", 1);
  auto options = parse(words);
  EXPECT_TRUE(options);
  if (!options) return options.error().text;
  AcctContext context;
  context.now = kNow;
  context.units = options->units;
  return list_accounting(rows, *options, context);
}
std::string value(const RowBuilder& builder, const char* field) {
  return list({builder.row}, {"-n", "-P", "-o", field});
}
RowBuilder good() {
  return RowBuilder(35, "good")
      .ended(JobState::completed, "COMPLETED", Seconds{4}, 0)
      .step(kBatchStep, "batch", JobState::completed, 0)
      .step(StepId{0}, "true", JobState::completed, 0);
}

TEST(Sacct, PrintsTheDefaultLayout) {
  EXPECT_EQ(list({good().row}),
            "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"
            "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
            "35                 good      batch       root          1  COMPLETED      0:0 \n"
            "35.batch          batch                  root          1  COMPLETED      0:0 \n"
            "35.0               true                  root          1  COMPLETED      0:0 \n");
}

TEST(Sacct, SeparatesFieldsWithBars) {
  EXPECT_EQ(list({good().row},
                 {"-P", "-X",
                  "--format=JobID,JobName%20,State,Elapsed,AllocTRES,ReqMem,NodeList,NNodes"}),
            "JobID|JobName|State|Elapsed|AllocTRES|ReqMem|NodeList|NNodes\n"
            "35|good|COMPLETED|00:00:04|billing=1,cpu=1,mem=16000M,node=1|16000M|n1|1\n");
  EXPECT_EQ(list({good().row}, {"-p", "-n", "-X", "-o", "jobid,state"}), "35|COMPLETED|\n");
  EXPECT_EQ(list({good().row}, {"-P", "-n", "-X", "--delimiter=^|^", "-o", "jobid,state"}),
            "35^|^COMPLETED\n");
}

TEST(Sacct, CutsWithAPlusAndAlignsAsTheWidthSays) {
  EXPECT_EQ(list({good().row}, {"-n", "-X", "-o", "jobname%-8,state%5"}), "good     COMP+ \n");
  RowBuilder cancelled = RowBuilder(9).ended(JobState::cancelled, "CANCELLED by 0", Seconds{1}, 0);
  EXPECT_EQ(list({cancelled.row}, {"-n", "-b"}), "9            CANCELLED+      0:0 \n");
  EXPECT_EQ(list({cancelled.row}, {"-n", "-o", "state%20"}), "      CANCELLED by 0 \n");
  EXPECT_EQ(list({cancelled.row}, {"-X", "-o", "timelimitraw"}).substr(0, 12), "TimelimitR \n");
}

TEST(Sacct, NamesArraysAndTheirTasks) {
  EXPECT_EQ(
      value(RowBuilder(36).array(36, kNoTask, "0-5%2"), "jobid,jobidraw,state,nodelist,start"),
      "36_[0-5%2]|36|PENDING|None assigned|Unknown\n");
  EXPECT_EQ(value(good().array(30, 3), "jobid,jobidraw"),
            "30_3|35\n30_3.batch|35.batch\n30_3.0|35.0\n");
}

TEST(Sacct, PrintsExitCodesAndSignals) {
  EXPECT_EQ(value(RowBuilder(1).ended(JobState::failed, "FAILED", Seconds{1}, 3 << 8), "exitcode"),
            "3:0\n");
  EXPECT_EQ(value(RowBuilder(1).ended(JobState::failed, "FAILED", Seconds{1}, 9),
                  "exitcode,derivedexitcode"),
            "0:9|0:0\n");
}

TEST(Sacct, PrintsUsageOfStepsAndItsSumForTheJob) {
  RowBuilder rows = good();
  Usage& batch = rows.row.steps[0].usage;
  batch.user_cpu_us = 10'000;
  batch.system_cpu_us = 2'000;
  batch.rss_kib.note(10000, NodeId{1}, 0);
  rows.row.steps[1].usage.user_cpu_us = 3'700'000'000;
  rows.row.steps[1].usage.rss_kib.note(2048, NodeId{1}, 0);
  EXPECT_EQ(list({rows.row}, {"-n", "-P", "-o", "jobid,maxrss,averss,totalcpu,usercpu,systemcpu"}),
            "35|||01:01:40|01:01:40|00:00.002\n"
            "35.batch|10000K|10000K|00:00.012|00:00.010|00:00.002\n"
            "35.0|2M|2M|01:01:40|01:01:40|00:00:00\n");
}

TEST(Sacct, TellsWhichTaskUsedMostAndLeast) {
  RowBuilder rows = good();
  StepRecord& step = rows.row.steps[1];
  step.usage_nodes = {{NodeId{1}, "n1"}, {NodeId{2}, "n2"}};
  step.usage.rss_kib.note(1000, NodeId{1}, 0);
  step.usage.rss_kib.note(3000, NodeId{2}, 1);
  step.usage.cpu_us.note(4'000'000, NodeId{1}, 0);
  step.usage.cpu_us.note(2'000'000, NodeId{2}, 1);
  step.usage.read_bytes.note(1 << 20, NodeId{1}, 0);
  step.usage.read_bytes.note(0, NodeId{2}, 1);
  EXPECT_EQ(value(rows, "averss,maxrss,maxrssnode,maxrsstask,avecpu,mincpu,mincpunode,mincputask"),
            "|||||||\n|||||||\n2000K|3000K|n2|1|00:00:03|00:00:02|n2|1\n");
  EXPECT_EQ(value(rows, "tresusageintot,tresusageinmaxnode"),
            "|\n|\ncpu=00:00:06,energy=0,fs/disk=1048576,mem=4000K,pages=0,vmem=0|"
            "cpu=n1,energy=n1,fs/disk=n1,mem=n2,pages=,vmem=\n");
}

TEST(Sacct, LeavesBlankWhatStepsDoNotHave) {
  EXPECT_EQ(list({good().row},
                 {"-n", "-P", "-o", "jobid,partition,user,reqmem,timelimit,ntasks,reqtres,qos"}),
            "35|batch|root|16000M|Partition_Limit||billing=1,cpu=1,mem=16000M,node=1|\n"
            "35.batch|||||1||\n35.0|||||1||\n");
}

TEST(Sacct, PrintsTimes) {
  RowBuilder row = RowBuilder(1).ended(JobState::completed, "COMPLETED", Seconds{90061}, 0);
  row.row.job.time_limit = Minutes{30};
  row.row.job.allocated_cpus = 2;
  EXPECT_EQ(value(row,
                  "start,end,elapsed,elapsedraw,cputime,cputimeraw,timelimit,timelimitraw,submit,"
                  "eligible,suspended"),
            "2026-11-16T01:32:06|2026-11-17T02:33:07|1-01:01:01|90061|2-02:02:02|180122|00:30:00|"
            "30|2026-11-16T01:32:06|"
            "2026-11-16T01:32:06|00:00:00\n");
  EXPECT_EQ(value(RowBuilder(2), "end,eligible,elapsed"), "Unknown|Unknown|00:00:00\n");
}

TEST(Sacct, ConvertsUnitsOnRequest) {
  RowBuilder row = good();
  row.row.job.requested_memory = "200M";
  row.row.job.allocated_tres = "billing=4,cpu=4,mem=200M,node=2";
  auto in = [&](const char* option) {
    return list({row.row}, {"-n", "-P", "-X", option, "-o", "reqmem,alloctres"});
  };
  EXPECT_EQ(in("--units=G"), "0.20G|billing=4,cpu=4,mem=0.20G,node=2\n");
  EXPECT_EQ(in("--units=K"), "204800K|billing=4,cpu=4,mem=204800K,node=2\n");
  EXPECT_EQ(in("--noconvert"), "200M|billing=4,cpu=4,mem=200M,node=2\n");
}

TEST(Sacct, ListsFieldsInFourColumns) {
  std::string out = acct_field_list();
  EXPECT_TRUE(out.starts_with(
      "Account             AdminComment        AllocCPUS           AllocNodes         \n"
      "AllocTRES           AssocID             AveCPU              AveCPUFreq         \n"));
  EXPECT_TRUE(out.ends_with("\nWorkDir            \n"));
}

TEST(Sacct, TakesTheBeginningOfAFieldsName) {
  EXPECT_EQ(find_acct_field("j")->name, "JobID");
  EXPECT_EQ(find_acct_field("JOBN")->name, "JobName");
  EXPECT_EQ(find_acct_field("bogus"), nullptr);
  EXPECT_EQ(parse({"-o", "bogus"}).error(),
            (Refusal{"sacct: error: Invalid field requested: \"bogus\"\n", 1}));
}

TEST(Sacct, PrintsOnlyTheStepThatWasAskedFor) {
  RowBuilder row = good();
  row.row.steps.erase(row.row.steps.begin());
  row.row.steps_only = true;
  EXPECT_EQ(list({row.row}, {"-n", "-P", "-o", "jobid"}), "35.0\n");
}

TEST(SacctOptions, CollectRepeatedIds) {
  auto options = parse({"-j", "12", "-j", "15,16.batch"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->request.jobs.size(), 3u);
  EXPECT_EQ(parse({"-j", "abc"}).error(),
            (Refusal{"sacct: fatal: Bad job/step specified: abc\n", 1}));
}

TEST(SacctOptions, RefuseBadValues) {
  EXPECT_EQ(parse({"-s", "bogus"}).error(),
            (Refusal{"sacct: fatal: unrecognized job state value 'bogus'\n", 1}));
  EXPECT_EQ(parse({"-S", "bogus"}).error(),
            (Refusal{"Invalid time specification (pos=0): bogus\n", 1}));
  EXPECT_EQ(parse({"-u", "nosuchuser"}).error(),
            (Refusal{"sacct: error: Invalid user id: nosuchuser\n", 1}));
  EXPECT_EQ(parse({"-l", "-o", "jobid"}).error().exit_code, 1);
  EXPECT_EQ(parse({"extra"}).error().text,
            "sacct: error: Unknown arguments:\nsacct: error:  extra\n");
  auto reversed = parse({"-S", "now", "-E", "now-1hour"});
  ASSERT_FALSE(reversed);
  EXPECT_TRUE(reversed.error().text.starts_with("sacct: error: Start time ("));
}

TEST(SacctOptions, LeaveTheDefaultWindowToTheServer) {
  auto options = parse({"-s", "F", "-S", "now-5minutes"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->request.by_state);
  EXPECT_EQ(options->request.start, kNow - Minutes{5});
  EXPECT_FALSE(is_set(options->request.end));
}

TEST(SacctJson, HasTheReferencesTopKeys) {
  AcctContext context;
  context.now = kNow;
  std::string out = accounting_json({good().row}, context);
  for (std::string_view part : {"\"meta\"", "\"errors\": []", "\"jobs\": [", "\"job_id\": 35",
                                "\"current\": \"COMPLETED\"", "\"steps\": ["})
    EXPECT_NE(out.find(part), out.npos) << part;
}

}  // namespace
}  // namespace muster::cli
