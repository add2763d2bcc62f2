// Prints explanations as JSON (muster explain --json).
#include "cli/muster/explain_text.h"
#include "cli/tables/json.h"

namespace muster::cli {

namespace {

Json record(const wire::Explanation& e) {
  const Job& job = *e.view.job;
  Json out;
  out["job_id"] = job.id.value;
  out["array_job_id"] = job.array_id.value;
  out["array_task_id"] = job.task_id == kNoTask ? Json(nullptr) : Json(job.task_id);
  out["het_job_id"] = job.het_id.value;
  out["het_job_offset"] = job.is_het() ? Json(job.het_offset) : Json(nullptr);
  out["name"] = json_text(job.own.name);
  out["user_name"] = json_text(job.spec->user_name);
  out["partition"] = json_text(job.partition);
  out["job_state"] = std::string(state_name(job.state));
  out["state_reason"] = json_text(e.view.reason);
  out["because"] = json_text(e.because);
  out["position"] = e.position;
  out["ahead"] = Json::array();
  for (const auto& [user, jobs] : e.ahead)
    out["ahead"].push_back({{"user_name", user.str()}, {"jobs", jobs}});
  out["expected_start"] = json_time(e.view.expected_start);
  out["expected_nodes"] = json_text(e.view.scheduled_nodes);
  out["sooner"] = Json::array();
  for (const wire::Suggestion& s : e.sooner)
    out["sooner"].push_back({{"change", s.change.str()}, {"start_time", json_time(s.start)}});
  out["tried_all"] = e.tried_all;
  out["submit_time"] = json_time(job.submitted);
  out["eligible_time"] = json_time(job.eligible);
  out["start_time"] = json_time(job.run->started);
  out["end_time"] = json_time(job.run->ended);
  out["waited_for"] = json_text(job.run->waited_for);
  out["preempted_by"] = job.preempted_by ? Json(job.preempted_by.value) : Json(nullptr);
  out["restarts"] = job.restarts;
  out["nodes"] = json_text(e.view.nodes);
  return out;
}

}  // namespace

std::string explanation_json(const wire::ExplainReply& reply) {
  Json records = Json::array();
  for (const wire::Explanation& e : reply.jobs) records.push_back(record(e));
  return json_document("openapi/muster", "Muster explain", "jobs", std::move(records));
}

}  // namespace muster::cli
