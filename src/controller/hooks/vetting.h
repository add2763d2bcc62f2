// Vetting: what the site's submit scripts are told of a request, and what follows from their
// answer. A script may set what operators may; what the user asked for is first cut down to what
// the user may say. The result is checked like every request.
#pragma once

#include <vector>

#include "controller/ledger/authority.h"
#include "controller/ledger/ledger.h"
#include "controller/submit/site_says.h"
#include "wire/hook_messages.h"
#include "wire/requests.h"

namespace muster::controller {

// Submissions, and updates of jobs.
bool is_vetted(const wire::Request& request);

// Takes away what this caller may not ask for, or refuses it, as would be done without a script.
Result<void> cut_down(const Authority& authority, const Caller& caller,
                      wire::SubmitRequest& request);

wire::HookCall call_for(const Cluster& cluster, const Caller& caller,
                        const wire::SubmitRequest& request);
// With the ids of the jobs that the parts are about. Jobs that the caller may not change are left
// out: their update is refused anyway.
struct UpdateCall {
  wire::HookCall call;
  std::vector<JobId> jobs;
};
Result<UpdateCall> call_for(const Cluster& cluster, const Rights& rights, const Caller& caller,
                            const wire::UpdateRequest& request, Time now);

// The error is about the script: it set what cannot be set.
Result<void> take_answer(const wire::HookAnswer& answer, wire::SubmitRequest& request);
Result<SiteSays> take_answer(const wire::HookAnswer& answer, const std::vector<JobId>& jobs);
// What the user is told if the script refuses the request.
Error refusal_of(const wire::HookAnswer& answer);

// "NAME=value" entries, with the changes.
std::string changed_environment(const std::string& bytes,
                                const std::vector<wire::HookVariable>& changes);

}  // namespace muster::controller
