// Passes each request and each report to its handler. ledger/request_rules.h says which requests
// Core answers; queries never come here, they are answered from snapshots.
#include <new>
#include <stdexcept>

#include "controller/contact/leaving.h"
#include "controller/contact/register.h"
#include "controller/core.h"
#include "controller/jobs/cancel.h"
#include "controller/jobs/programs.h"
#include "controller/jobs/release.h"
#include "controller/jobs/step_end.h"
#include "controller/ledger/request_rules.h"
#include "controller/nodes/claim.h"
#include "controller/steps/step.h"
#include "controller/submit/request_check.h"
#include "controller/submit/trial.h"
#include "controller/update/update.h"

namespace muster::controller {

struct Core::RequestVerbs {
  Core& core;
  ReplyTo to;
  Caller caller;
  const SiteSays& says;
  Ledger& ledger = core.ledger_;

  void answer_to(wire::Request& request) const;
  void answer(wire::Answer answer) const { ledger.reply(to, std::move(answer)); }

  void operator()(wire::SubmitRequest& r) const {
    if (r.test_only || r.immediate) return core.try_submission(to, caller, std::move(r), says);
    const bool is_allocation = r.spec && r.spec->kind == JobKind::allocation;
    wire::Answer reply = core.submissions_.submit(caller, r, says.is_vetted);
    const auto* accepted = std::get_if<wire::SubmitReply>(&reply);
    const JobId job = accepted ? accepted->job : JobId{};
    answer(std::move(reply));
    if (!job || !is_allocation) return;
    core.allocations_.set_keeper(to.connection, job);
    if (r.first_step.empty()) return;
    // srun without a job waits for its job's end from now on. If it may not wait, it gets the
    // refusal instead of the step, and the job is ended.
    if (auto waits = core.allocations_.wait_for_end(to, caller, job); !waits)
      return answer(waits.error());
    core.steps_.keep_first(to, caller, std::move(r.first_step.front()), job);
  }
  void operator()(const wire::CancelRequest& r) const {
    answer(cancel(ledger, core.planning_, caller, r));
  }
  void operator()(const wire::JobActionRequest& r) const {
    answer(job_action(ledger, core.host_, core.links_.launches(), core.allocations_, caller, r));
  }
  void operator()(const wire::UpdateRequest& r) const {
    answer(
        update(ledger, core.host_, core.links_, core.allocations_, core.power_, caller, r, says));
  }
  void operator()(wire::StepRequest& r) const {
    if (auto reply = core.steps_.ask(to, caller, std::move(r))) answer(std::move(*reply));
  }
  void operator()(const wire::AttachStepRequest& r) const {
    answer(find_step(ledger, core.host_, caller, r));
  }
  void operator()(const wire::ReleaseRequest& r) const { answer(release(ledger, caller, r)); }
  void operator()(const wire::ClaimNodeRequest& r) const { answer(claim_node(ledger, r)); }
  void operator()(wire::SetTriggerRequest& r) const {
    answer(core.triggers_.set(caller, std::move(r.trigger)));
  }
  void operator()(const wire::ClearTriggersRequest& r) const {
    answer(core.triggers_.clear(caller, r));
  }
  void operator()(const wire::WaitJobRequest& r) const { core.allocations_.wait(to, caller, r); }
};

void Core::RequestVerbs::answer_to(wire::Request& request) const {
  const bool changes = !std::holds_alternative<wire::WaitJobRequest>(request);
  if (ledger.is_disk_full() && changes)
    return core.host_.reply(to, Error{ErrorCode::state_storage_full, {}});
  const auto* update = std::get_if<wire::UpdateRequest>(&request);
  const bool is_reservation = update && update->kind == wire::UpdateRequest::Kind::reservation;
  const bool may =
      is_reservation ? ledger.rights().operates(caller) : ledger.rights().administers(caller);
  if (auto refusal = refusal_of(rule_of(request), may))
    return ledger.reply(to, std::move(*refusal));
  std::visit(
      [&]<class Request>(Request& r) {
        if constexpr (RuleOf<Request>::value.by == AnsweredBy::core)
          (*this)(r);
        else
          ledger.reply(to, Error{ErrorCode::failure, "this request is not for the core"});
      },
      request);
}

namespace {

// While it lives, what is recorded is somebody's wish.
class Asking {
 public:
  Asking(Ledger& ledger, Asker asker) : ledger_(ledger) { ledger_.set_asker(std::move(asker)); }
  ~Asking() { ledger_.set_asker({}); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  Ledger& ledger_;
};

}  // namespace

void Core::on_request(ReplyTo to, Caller caller, wire::Request request, Time now,
                      const SiteSays& says) {
  ledger_.set_now(now);
  try {
    return attempts_.all_or_nothing([&] {
      const Asking asking(ledger_, asker_of(caller.uid, request));
      if (auto ok = check_request(ledger_.settings().request_limits, request); !ok)
        return ledger_.reply(to, ok.error());
      RequestVerbs{*this, to, caller, says}.answer_to(request);
    });
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  request = {};
  allocations_.stop_waiting(to);
  attempts_.make_state_anew();
  ledger_.log_error("a request needs more memory than there is: refused");
  ledger_.reply(to, Error{ErrorCode::too_large, "there is not enough memory for this request"});
}

// Computes where and when the job would start, before the request is answered (--test-only) or
// submitted (-I). The plan may take long, so it is made outside this thread, on a copy of the
// state. If the state has changed meanwhile, -I tries again, a few times.
void Core::try_submission(ReplyTo to, Caller caller, wire::SubmitRequest request,
                          const SiteSays& says, int trials) {
  constexpr int kTrials = 3;
  const Time now = ledger_.now();
  wire::SubmitRequest tried{.spec = request.spec, .components = request.components};
  auto jobs = submissions_.accept_all(caller, tried, says.is_vetted);
  if (!jobs) return ledger_.reply(to, jobs.error());
  if (!request.test_only)
    if (auto ok = may_start_at_once(ledger_.cluster(), jobs->front(), now); !ok)
      return ledger_.reply(to, ok.error());
  auto plan = [with = ledger_.cluster(), jobs = std::move(*jobs), now] {
    return expected_start(with, jobs, now);
  };
  auto on_told = [this, to, caller, now, trials, says, request = std::move(request),
                  version = ledger_.version()](wire::Answer told) mutable {
    if (request.test_only) return ledger_.reply(to, std::move(told));
    auto* when = std::get_if<wire::SubmitReply>(&told);
    if (!when || when->would_start > now)
      return ledger_.reply(to, Error{ErrorCode::nodes_busy, {}});
    if (version == ledger_.version() || trials + 1 == kTrials) {
      request.immediate = false;
      return on_request(to, caller, std::move(request), std::max(now, ledger_.now()), says);
    }
    ledger_.set_now(std::max(now, ledger_.now()));
    try_submission(to, caller, std::move(request), says, trials + 1);
  };
  host_.run_aside(to, caller.uid, std::move(plan), std::move(on_told));
}

struct Core::ReportVerbs {
  Core& core;
  NodeId node;
  Ledger& ledger = core.ledger_;

  void operator()(const wire::HeartbeatReport& r) const {
    core.links_.note_load(node, r);
    if (!ledger.node(node).responding) return_to_service(ledger, node);
  }
  void operator()(const wire::StepEndReport& r) const {
    on_step_end(ledger, core.links_, node, r.end);
  }
  void operator()(const wire::JobGoneReport& r) const { on_job_gone(ledger, core.links_, node, r); }
  void operator()(const wire::PrologFailedReport& r) const {
    on_prolog_failed(ledger, node, r.job, r.attempt);
  }
  void operator()(const wire::PreparedReport& r) const { core.links_.on_prepared(node, r); }
  void operator()(const wire::LeavingReport& r) const {
    if (r.host) on_host_leaving(ledger, core.links_, node);
  }
  void operator()(const wire::RegisterReport&) const {}  // see on_report: the node is not known yet
};

void Core::on_report(NodeConnection from, wire::Report report, Time now) {
  ledger_.set_now(now);
  try {
    attempts_.all_or_nothing([&] {
      if (auto* r = std::get_if<wire::RegisterReport>(&report))
        return register_node(ledger_, links_, allocations_, programs_, from, *r);
      const auto node = links_.node_of(from);
      if (!node) return;  // reports before registering are void
      links_.note_heard(*node);
      std::visit(ReportVerbs{*this, *node}, report);
    });
  } catch (...) {
    links_.close(from);
    throw;
  }
}

}  // namespace muster::controller
