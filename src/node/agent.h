// NodeAgent: slurmd's logic. It takes the controller's orders and the events of its own machine,
// and calls its NodeHost; it has no clock and does no I/O. One file per verb: register.cc,
// prepare.cc, launch.cc, signal.cc, end.cc, complete.cc, attach.cc.
//
// Orders may be repeated at any time. Ends of steps are kept, and reported again and again, until
// the controller confirms them.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "node/host.h"
#include "node/preparations.h"
#include "wire/node_messages.h"

namespace muster {

struct NodeAgentOptions {
  Text name;
  Epoch epoch;                   // the highest epoch seen before this start
  std::optional<Uid> only_user;  // set if slurmd is not root: only this user's jobs can run
  Millis heartbeat_every{10'000};
  Millis repeat_ends_after{10'000};
  Millis attach_wait{15'000};  // an srun may arrive before its launch order
  NodePrograms programs = {};
  std::optional<NodeConfig> dynamic = {};  // of a dynamic node, which is in no file
};

// Faults of a launch that are not the job's.
struct LaunchFault {
  bool prolog_failed = false;
  std::string_view node_fault = {};
};

class NodeAgent {
 public:
  NodeAgent(NodeHost& host, NodeAgentOptions options);

  // Steps that were found at the start, before the first connection.
  void on_found_running(const wire::StepRef& step);
  void on_found_ended(wire::StepEnd end);
  void on_found_prepared(AttemptRef attempt);

  void on_connected(Time now);
  void on_disconnected();
  void on_orders(const wire::OrderBatch& batch, Time now);
  void on_step_ended(wire::StepEnd end, Time now);
  void on_program_ended(NodeProgram program, AttemptRef attempt, bool succeeded, Time now);
  void on_attach(AttachId id, const wire::StepRef& step, Time now);
  void on_leaving();               // slurmd is about to stop; its steps go on
  void on_host_leaving(Time now);  // the machine is about to stop; its jobs must leave

  // Does what is due: killing, heartbeats, repeated reports, attach time-outs.
  void on_tick(Time now);
  Time next_due() const;  // when on_tick must be called at the latest
  // Sends the reports gathered since the last flush as one batch.
  void flush();

  void set_heartbeat(Millis every) { options_.heartbeat_every = every; }
  void set_programs(const NodePrograms& programs) { options_.programs = programs; }
  // Everything has been reported, or the controller has been away for too long.
  bool may_leave_with_host(Time now) const;
  std::size_t running_count() const { return running_.size(); }
  Epoch epoch() const { return options_.epoch; }

 private:
  struct Ended {
    wire::StepEnd end;
    Time told;  // when it was last reported
  };
  struct EndingJob {  // EndJob was ordered
    bool announced = false;
    bool epilog_runs = false;
    std::optional<bool> epilog_failed;  // set once it has run; the extern step must still end
    std::vector<std::string> epilog_environment;
  };
  using Progress = Preparations::Progress;
  struct WaitingAttach {
    AttachId id = 0;
    wire::StepRef step;
    Time until;
  };

  void on_order(const wire::LaunchOrder& order, Time now);
  void on_order(const wire::SignalOrder& order, Time now);
  void on_order(const wire::EndJobOrder& order, Time now);
  void on_order(const wire::EndStepOrder& order, Time now);
  void on_order(const wire::SuspendOrder& order, Time now);
  void on_order(const wire::ConfirmOrder& order, Time now);
  void on_order(const wire::ReconfigureOrder& order, Time now);
  void on_order(const wire::ShutdownOrder& order, Time now);
  void on_order(const wire::PrepareOrder& order, Time now);
  void on_order(const wire::HealthCheckOrder& order, Time now);
  void on_order(const wire::RebootOrder& order, Time now);
  void on_order(const wire::NotifyOrder& order, Time now);

  void on_prolog_ended(AttemptRef attempt, bool succeeded, Time now);
  void on_epilog_ended(AttemptRef attempt, bool succeeded, Time now);
  void launch(const wire::StepLaunch& launch, Time now);  // now, or after the Prolog
  void report_gone(AttemptRef attempt, bool epilog_failed, Time now);
  void start(const wire::StepLaunch& launch, Time now);
  void start_launches_waiting_for(JobId job, Time now);
  void fail_launch(const wire::StepLaunch& launch, std::string why, Time now,
                   LaunchFault fault = {});
  void end_step(const wire::StepRef& step, Seconds kill_wait, bool announce,
                std::string_view suffix, Time now);
  template <class EndOrder>
  void postpone(EndOrder order, Time now);
  void do_postponed(Time now);
  void kill_overdue(Time now);
  void report_end(Ended& ended, Time now);
  void report_gone_if_gone(AttemptRef attempt, Time now);
  bool anything_runs(AttemptRef attempt) const;  // with RunInJob: except for the extern step
  bool stays_for_epilog(const wire::StepRef& step) const;
  template <class Visit>
  void each_running_of(JobId job, Attempt attempt, Visit&& visit) const;

  NodeHost& host_;
  NodeAgentOptions options_;
  bool connected_ = false;
  std::optional<Time> host_leaves_;  // since when the machine is about to stop

  std::map<wire::StepRef, std::optional<Time>>
      running_;                           // once told to end: when they will be killed
  std::map<wire::StepRef, Ended> ended_;  // not yet confirmed
  // Launches that wait: for an older attempt to end, for the Prolog, or for a resume.
  std::map<wire::StepRef, wire::StepLaunch> held_back_;
  Preparations preparations_{host_};
  std::set<AttemptRef> suspended_;
  std::map<AttemptRef, EndingJob> ending_;
  std::map<AttemptRef, Time> gone_;  // for a while: a repeated order must not run the Epilog again
  std::vector<WaitingAttach> attaches_;
  std::multimap<Time, wire::Order> postponed_;  // orders to end, by the time when they are due
  std::vector<wire::Report> outbox_;
  Time next_heartbeat_;
};

template <class Visit>
void NodeAgent::each_running_of(JobId job, Attempt attempt, Visit&& visit) const {
  for (auto i = running_.lower_bound({job, attempt, StepId{0}});
       i != running_.end() && i->first.job == job && i->first.attempt == attempt; ++i)
    visit(i->first);
}

}  // namespace muster
