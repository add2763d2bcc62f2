// scontrol update stepid: the time limit of a step, or of all steps of a job.
#include "controller/update/update.h"

#include "base/text/duration.h"
#include "controller/jobs/select.h"
#include "controller/update/settings_list.h"

namespace muster::controller {

namespace {

std::vector<StepId> steps_left(const Job& job, const std::optional<StepId>& wanted) {
  std::vector<StepId> left;
  for (const auto* steps : {&job.run->steps, &job.run->queued_steps})
    for (const auto& [id, step] : *steps)
      if (!is_ended(step.state) && (!wanted || *wanted == id)) left.push_back(id);
  return left;
}

}  // namespace

wire::Answer update_step(Ledger& ledger, Caller caller, const wire::UpdateRequest& request) {
  auto text = find_setting(request.settings, {"StepId"});
  auto ref = wire::parse_job_ref(text.value_or(""));
  if (!ref) return Error{ErrorCode::invalid_job_id, {}};
  auto value = find_setting(request.settings, {"TimeLimit"});
  auto limit = parse_time_limit(value.value_or(""));
  if (!limit) return Error{ErrorCode::invalid_time_limit, {}};
  auto ids = resolve(ledger, caller, *ref);
  if (!ids) return ids.error();
  bool any = false;
  for (JobId id : *ids) {
    const Job& job = ledger.job(id);
    if (!ledger.authority().may_change(caller, job)) return Error{ErrorCode::user_id_missing, {}};
    std::vector<StepId> steps = steps_left(job, ref->step);
    if (steps.empty()) continue;
    any = true;
    ledger.record(StepLimitChanged{.job = id,
                                   .steps = std::move(steps),
                                   .time_limit = *limit == kUnlimited ? Minutes{0} : *limit});
  }
  if (!any) return Error{ErrorCode::invalid_job_id, {}};
  return wire::Done{};
}

}  // namespace muster::controller
