// Steps: those that do not fit beside the steps that run: first come, first tried. An srun waits
// for its own; one that was queued with --async is part of the state and starts when its srun has
// gone.
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

  // No answer yet where the step has to wait. The request is taken only then.
  std::optional<wire::Answer> ask(ReplyTo to, Caller caller, wire::StepRequest&& request);
  // srun alone: the job and its step are asked for together. The step starts with the job.
  void keep_first(ReplyTo to, Caller caller, wire::StepRequest request, JobId job);
  void start_first(JobId job);
  // To be called before a batch is sealed: room for a step appears only where something of its job
  // has changed.
  void start_waiting();
  void tick();  // those that wanted to wait no longer than this

  // After a restart: what waits in the state waits here again, and what was created but perhaps not
  // launched can be.
  Result<void> recover();
  void on_client_closed(std::uint64_t connection);
  bool serves(std::uint64_t connection) const;
  void forget_undone();  // first steps of jobs that the state does not know any more
  void on_clock_step(Millis by);

 private:
  struct WaitingStep {
    std::optional<ReplyTo> to;  // its srun; none: it is the state that keeps it (--async)
    Caller caller;
    wire::StepRequest request;
    Time until;
    std::optional<StepId> number;  // of a step in the state
  };
  wire::Answer queue_step(Caller caller, wire::StepRequest&& request);
  void erase_waiting_if(const std::function<bool(WaitingStep&)>& is_over);
  Result<void> has_room_to_wait(const wire::StepRequest& request) const;

  Ledger& ledger_;
  Host& host_;
  NodeLinks& links_;
  std::vector<WaitingStep> waiting_;    // first come, first tried
  std::map<JobId, WaitingStep> first_;  // to be created when their job starts
};

}  // namespace muster::controller
