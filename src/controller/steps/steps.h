// Steps: runs steps that fit beside the running ones, and queues the others: first come, first
// tried. An srun waits for its own step; a step that was queued with --async is part of the state,
// and starts even if its srun has gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "wire/client_messages.h"

namespace muster::controller {

class Steps {
 public:
  Steps(Ledger& ledger, Host& host, NodeLinks& links)
      : ledger_(ledger), host_(host), links_(links) {}

  // No answer yet if the step must wait; the request is taken only then.
  std::optional<wire::Answer> ask(ReplyTo to, Caller caller, wire::StepRequest&& request);
  // srun without a job asks for the job and its step together. The step starts with the job.
  void keep_first(ReplyTo to, Caller caller, wire::StepRequest request, JobId job);
  void start_first(JobId job);
  // Must be called before a batch is sealed. Only changes of a job can make room for its steps.
  void start_waiting();
  void tick();  // refuses steps that wait longer than they wanted

  // After a restart: queues steps that wait in the state, and makes steps that were created but
  // perhaps not launched ready for launching.
  Result<void> recover();
  void on_client_closed(std::uint64_t connection);
  bool serves(std::uint64_t connection) const;
  void forget_undone();  // first steps of jobs that the state no longer knows
  void on_clock_step(Millis by);

 private:
  struct WaitingStep {
    std::optional<ReplyTo> to;  // the waiting srun; none: a step of the state (--async)
    Caller caller;
    wire::StepRequest request;
    Time until;
    std::optional<StepId> number;  // of a step of the state
  };
  wire::Answer queue_step(Caller caller, wire::StepRequest&& request);
  void erase_waiting_if(const std::function<bool(WaitingStep&)>& is_over);
  Result<void> has_room_to_wait(const wire::StepRequest& request) const;

  Ledger& ledger_;
  Host& host_;
  NodeLinks& links_;
  std::vector<WaitingStep> waiting_;    // in order of arrival
  std::map<JobId, WaitingStep> first_;  // created when their job starts
};

}  // namespace muster::controller
