// The report of seff for an accounting row.
#include "cli/seff/report.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

AccountingRow ended_job() {
  AccountingRow row;
  JobRecord& job = row.job;
  job.job = JobId{12};
  job.cluster = "c";
  job.user_name = "alice";
  job.group_name = "users";
  job.state = JobState::failed;
  job.exit_status = 3 << 8;
  job.started = Time{Seconds{1'000'000}};
  job.ended = job.started + Seconds{100};
  job.allocated_cpus = 4;
  job.allocated_nodes = 2;
  job.allocated_tres = "billing=4,cpu=4,mem=2G,node=2";
  StepRecord batch;
  batch.step = kBatchStep;
  batch.num_tasks = 1;
  batch.usage.user_cpu_us = 90'000'000;
  batch.usage.system_cpu_us = 10'000'000;
  batch.usage.rss_kib.max = 512;
  StepRecord step = batch;
  step.step = StepId{0};
  step.num_tasks = 4;
  step.usage.rss_kib.max = 128 * 1024;
  row.steps = {batch, step};
  return row;
}

std::string report(const AccountingRow& row) {
  AcctContext context;
  context.now = Time{Seconds{1'000'050}};
  return efficiency_report(row, context);
}

TEST(Seff, AnEndedJob) {
  EXPECT_EQ(report(ended_job()),
            "Job ID: 12\n"
            "Cluster: c\n"
            "User/Group: alice/users\n"
            "State: FAILED (exit code 3)\n"
            "Nodes: 2\n"
            "Cores per node: 2\n"
            "CPU Utilized: 00:03:20\n"
            "CPU Efficiency: 50.00% of 00:06:40 core-walltime\n"
            "Job Wall-clock time: 00:01:40\n"
            "Memory Utilized: 512.00 MB\n"
            "Memory Efficiency: 25.00% of 2.00 GB\n");
}

TEST(Seff, ARunningJobComesWithAWarning) {
  AccountingRow row = ended_job();
  row.job.state = JobState::running;
  row.job.ended = {};
  row.job.allocated_cpus = row.job.allocated_nodes = 1;
  std::string text = report(row);
  EXPECT_NE(text.find("State: RUNNING\nCores: 1\n"), text.npos) << text;
  EXPECT_NE(text.find("Job Wall-clock time: 00:00:50\n"), text.npos) << text;
  EXPECT_TRUE(
      text.ends_with("WARNING: Efficiency statistics may be misleading for RUNNING jobs.\n"))
      << text;
}

TEST(Seff, AWaitingTaskHasNothingToTell) {
  AccountingRow row = ended_job();
  row.job.state = JobState::pending;
  row.job.array_id = JobId{10};
  row.job.task_id = 3;
  EXPECT_EQ(report(row),
            "Job ID: 12\n"
            "Array Job ID: 10_3\n"
            "Cluster: c\n"
            "User/Group: alice/users\n"
            "State: PENDING\n"
            "Efficiency not available for jobs in the PENDING state.\n");
}

}  // namespace
}  // namespace muster::cli
