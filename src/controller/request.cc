// Hands each request to its verb. Queries never come here: they are answered from snapshots
// (query.h).
#include "controller/core.h"

namespace muster::controller {

void Core::handle(ReplyTo to, Caller caller, wire::Request& request, Time now) {
  bool changes = !std::holds_alternative<wire::WaitJobRequest>(request);
  if (disk_full_ && changes) {
    host_.reply(to, Error{ErrorCode::state_storage_full, {}});
    return;
  }
  if (auto* r = std::get_if<wire::SubmitRequest>(&request)) {
    if (r->test_only || r->immediate)
      try_submission(to, caller, std::move(*r), now);
    else
      take_submission(to, caller, *r, now);
  } else if (auto* c = std::get_if<wire::CancelRequest>(&request)) {
    answer(to, cancel(caller, *c, now));
  } else if (auto* a = std::get_if<wire::JobActionRequest>(&request)) {
    answer(to, job_action(caller, *a, now));
  } else if (auto* u = std::get_if<wire::UpdateRequest>(&request)) {
    answer(to, update(caller, *u, now));
  } else if (auto* s = std::get_if<wire::StepRequest>(&request)) {
    if (auto reply = create_step(to, caller, std::move(*s), now)) answer(to, std::move(*reply));
  } else if (auto* t = std::get_if<wire::AttachStepRequest>(&request)) {
    answer(to, find_step(caller, *t));
  } else if (auto* e = std::get_if<wire::ReleaseRequest>(&request)) {
    answer(to, release(caller, *e, now));
  } else if (auto* f = std::get_if<wire::ClaimNodeRequest>(&request)) {
    answer(to, claim_node(caller, *f));
  } else if (auto* w = std::get_if<wire::WaitJobRequest>(&request)) {
    wait_job(to, caller, *w);
  } else {
    answer(to, Error{ErrorCode::failure, "this request is not for the core"});
  }
}

wire::Answer Core::update(Caller caller, const wire::UpdateRequest& request, Time now) {
  switch (request.kind) {
    case wire::UpdateRequest::Kind::job:
      return update_job(caller, request, now);
    case wire::UpdateRequest::Kind::node:
      return update_node(caller, request, now);
    case wire::UpdateRequest::Kind::partition:
      return update_partition(caller, request, now);
    case wire::UpdateRequest::Kind::reservation:
      return update_reservation(caller, request, now);
    case wire::UpdateRequest::Kind::step:
      return update_step(caller, request);
  }
  return Error{ErrorCode::failure, "no such kind of record"};
}

}  // namespace muster::controller
