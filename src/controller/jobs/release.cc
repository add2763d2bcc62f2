// Ends allocations that their commands give back or have lost.
#include "controller/jobs/release.h"

#include "controller/jobs/ending.h"

namespace muster::controller {

wire::Answer release(Ledger& ledger, Caller caller, const wire::ReleaseRequest& request) {
  const Job* job = ledger.cluster().jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!ledger.authority().may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  JobId id = job->id;
  if (job->state == JobState::pending) {
    Ending ending{.becomes = JobState::cancelled, .by = caller.uid, .since = ledger.now()};
    (void)end_job(ledger, *job, std::move(ending), "");
    return wire::Done{};
  }
  if (is_ended(job->state) || job->run->ending) return wire::Done{};
  const bool failed = request.exit_status != 0;
  const bool out_of_memory = failed && job->run->out_of_memory;
  const JobState state = out_of_memory ? JobState::out_of_memory
                         : failed      ? JobState::failed
                                       : JobState::completed;
  const std::uint32_t status = out_of_memory ? kOutOfMemoryStatus : request.exit_status;
  record_end(ledger, {.job = id,
                      .state = state,
                      .exit_status = status,
                      .derived_exit_status = job->run->derived_exit_status,
                      .at = ledger.now(),
                      .reason = end_reason(state, status)});
  advance_ending(ledger, id);
  return wire::Done{};
}

void end_orphans(Ledger& ledger, Allocations& allocations) {
  for (const JobId id : allocations.lost_orphans()) {
    const Job& job = ledger.job(id);
    const bool limited = ledger.settings().inactive_limit > Seconds{0};
    Ending ending{.becomes = JobState::cancelled, .by = job.spec->uid, .since = ledger.now()};
    if (limited && job.state != JobState::pending)
      ending.becomes = JobState::timeout, ending.reason = "InactiveLimit";
    (void)end_job(ledger, job, std::move(ending), "");
  }
}

}  // namespace muster::controller
