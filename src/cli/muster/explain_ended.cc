// muster explain for jobs that only accounting still knows.
#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "cli/muster/explain_text.h"
#include "cli/sacct/row.h"
#include "cli/tables/json.h"

namespace muster::cli {

namespace {

std::string start_text(const JobRecord& job) {
  if (!is_set(job.started)) return "never";
  const Time from = std::max(job.submitted, job.eligible);
  const auto waited = std::chrono::floor<Seconds>(std::max(job.started - from, Millis{0}));
  return fmt::format("{}, after {} in the queue, on {}", format_date(job.started),
                     format_elapsed(waited), job.nodes.view());
}

std::string end_text(const AcctLine& line) {
  const JobRecord& job = line.job();
  std::string text = fmt::format("{}, {}, exit code {}", format_date(job.ended), acct_state(line),
                                 exit_code_text(job.exit_status));
  if (!job.reason.empty() && job.reason != "None") text += fmt::format(" [{}]", job.reason.view());
  return text;
}

Json record(const AcctLine& line) {
  const JobRecord& job = line.job();
  Json out;
  out["job_id"] = job.job.value;
  out["array_job_id"] = job.array_id.value;
  out["array_task_id"] = job.task_id == kNoTask ? Json(nullptr) : Json(job.task_id);
  out["het_job_id"] = job.het_id.value;
  out["het_job_offset"] = job.het_id ? Json(job.het_offset) : Json(nullptr);
  out["name"] = json_text(job.name);
  out["user_name"] = json_text(job.user_name);
  out["partition"] = json_text(job.partition);
  out["job_state"] = std::string(state_name(job.state));
  out["state_reason"] = json_text(job.reason);
  out["exit_code"] = exit_code_text(job.exit_status);
  out["submit_time"] = json_time(job.submitted);
  out["eligible_time"] = json_time(job.eligible);
  out["start_time"] = json_time(job.started);
  out["end_time"] = json_time(job.ended);
  out["restarts"] = job.restarts;
  out["nodes"] = json_text(job.nodes);
  return out;
}

}  // namespace

std::string ended_text(const std::vector<AccountingRow>& rows) {
  std::string text;
  AcctContext context;
  for (const AccountingRow& row : rows) {
    const AcctLine job_line{&row, nullptr, &context};
    const JobRecord& job = row.job;
    text += fmt::format("Job {} ({}) of {} has ended in partition {}\n", acct_job_id(job_line),
                        job.name.view(), job.user_name.view(), job.partition.view());
    text += explained_line("submitted:", format_date(job.submitted));
    text += explained_line("started:", start_text(job));
    if (job.restarts > 0)
      text += explained_line("before:", fmt::format("requeued {} times", job.restarts));
    text += explained_line("ended:", end_text(job_line));
  }
  return text;
}

std::string ended_json(const std::vector<AccountingRow>& rows) {
  AcctContext context;
  Json records = Json::array();
  for (const AccountingRow& row : rows) records.push_back(record({&row, nullptr, &context}));
  return json_document("openapi/muster", "Muster explain", "jobs", std::move(records));
}

}  // namespace muster::cli
