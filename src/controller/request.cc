// Hands each request to its verb, as request_rules.h says. Queries never come here: they are
// answered from snapshots (query.h).
#include "controller/core.h"
#include "controller/request_rules.h"

namespace muster::controller {

struct Core::Handler {
  Core& core;
  ReplyTo to;
  Caller caller;
  Time now;

  void operator()(wire::SubmitRequest& r) const {
    if (r.test_only || r.immediate)
      core.try_submission(to, caller, std::move(r), now);
    else
      core.take_submission(to, caller, r, now);
  }
  void operator()(const wire::CancelRequest& r) const {
    core.answer(to, core.cancel(caller, r, now));
  }
  void operator()(const wire::JobActionRequest& r) const {
    core.answer(to, core.job_action(caller, r, now));
  }
  void operator()(const wire::UpdateRequest& r) const {
    core.answer(to, core.update(caller, r, now));
  }
  void operator()(wire::StepRequest& r) const {
    if (auto reply = core.create_step(to, caller, std::move(r), now))
      core.answer(to, std::move(*reply));
  }
  void operator()(const wire::AttachStepRequest& r) const {
    core.answer(to, core.find_step(caller, r));
  }
  void operator()(const wire::ReleaseRequest& r) const {
    core.answer(to, core.release(caller, r, now));
  }
  void operator()(const wire::ClaimNodeRequest& r) const { core.answer(to, core.claim_node(r)); }
  void operator()(const wire::WaitJobRequest& r) const { core.wait_job(to, caller, r); }
};

void Core::handle(ReplyTo to, Caller caller, wire::Request& request, Time now) {
  bool changes = !std::holds_alternative<wire::WaitJobRequest>(request);
  if (disk_full_ && changes) {
    host_.reply(to, Error{ErrorCode::state_storage_full, {}});
    return;
  }
  if (auto refusal = refusal_of(rule_of(request), is_operator(caller)))
    return answer(to, std::move(*refusal));
  std::visit(
      [&]<class Request>(Request& r) {
        if constexpr (RuleOf<Request>::value.by == AnsweredBy::core)
          Handler{*this, to, caller, now}(r);
        else
          answer(to, Error{ErrorCode::failure, "this request is not for the core"});
      },
      request);
}

wire::Answer Core::update(Caller caller, const wire::UpdateRequest& request, Time now) {
  if (request.create && request.remove)
    return Error{ErrorCode::failure, "a record is made or removed, not both"};
  switch (request.kind) {
    case wire::UpdateRequest::Kind::job:
      return update_job(caller, request, now);
    case wire::UpdateRequest::Kind::node:
      return update_node(caller, request, now);
    case wire::UpdateRequest::Kind::partition:
      return update_partition(request, now);
    case wire::UpdateRequest::Kind::reservation:
      return update_reservation(request, now);
    case wire::UpdateRequest::Kind::step:
      return update_step(caller, request);
  }
  return Error{ErrorCode::failure, "no such kind of record"};
}

}  // namespace muster::controller
