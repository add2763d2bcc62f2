// A machine of the simulation: the real node logic (NodeAgent) with pretend processes. It can lose
// its connection, its slurmd, or its power.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "node/agent.h"
#include "sim/schedule.h"

namespace muster::sim {

class FakeNode final : public NodeHost {
 public:
  struct Callbacks {
    std::function<void(FakeNode&, wire::ReportBatch)> report;
    std::function<void(FakeNode&, const wire::StepRef&)>
        started;                                 // a process of this attempt has started
    std::function<void(FakeNode&)> reboot = {};  // RebootProgram was run
  };
  struct Behavior {
    int failing_launches_percent = 2, failing_steps_percent = 15;
    Millis shortest_step{5}, longest_step{240'000};
    NodePrograms programs = {};  // of the site; sometimes one fails
    int failing_programs_percent = 5;
  };
  FakeNode(Schedule& schedule, Text name, std::uint32_t cpus, Callbacks callbacks)
      : FakeNode(schedule, std::move(name), cpus, std::move(callbacks), Behavior{}) {}
  FakeNode(Schedule& schedule, Text name, std::uint32_t cpus, Callbacks callbacks,
           Behavior behavior);

  const Text& name() const { return name_; }
  bool has_power() const { return power_; }
  bool slurmd_runs() const { return agent_ != nullptr; }
  const std::set<wire::StepRef>& processes() const { return processes_; }

  void start_slurmd();
  void stop_slurmd();  // kill -9: the steps go on
  void lose_power();
  void restore_power();
  // Sets its clock this far from true time. Nothing in its slurmd depends on it.
  void set_clock(Millis ahead) { clock_ahead_ = ahead; }
  Millis clock_ahead() const { return clock_ahead_; }

  void on_connected();
  void on_disconnected();
  void on_orders(const wire::OrderBatch& batch);

  // NodeHost
  NodeFacts facts() override;
  NodeVitals vitals() override { return {}; }
  Result<void> spawn(const wire::StepLaunch& launch) override;
  void signal(const wire::StepRef& step, int number, SignalScope scope) override;
  void suspend(const wire::StepRef&, bool) override {}
  void announce(const wire::StepRef&, std::string_view, bool) override {}
  void notify(const wire::StepRef&, std::string_view) override {}
  void post_notice(AttemptRef, const StopNotice&) override {}
  void answer_job(JobAskId, std::string_view, Seconds) override {}
  void forget(const wire::StepRef& step) override { ended_.erase(step); }
  void send(const wire::ReportBatch& batch) override { callbacks_.report(*this, batch); }
  void store_epoch(Epoch epoch) override { epoch_ = epoch; }
  void hand_over(AttachId, const wire::StepRef&) override {}
  void refuse(AttachId, std::string_view) override {}
  void run_program(NodeProgram program, AttemptRef attempt,
                   const std::vector<std::string>&) override;
  void note_prepared(AttemptRef, bool) override {}
  void clean_up(AttemptRef) override {}
  void check_health() override {}
  void reboot() override;
  void reconfigure() override {}
  void shutdown() override {}
  void log_error(std::string_view) override {}

 private:
  void tick();
  void end_process(const wire::StepRef& step, std::uint32_t status);

  Schedule& schedule_;
  Text name_;
  std::uint32_t cpus_;
  Callbacks callbacks_;
  Behavior behavior_;
  Millis clock_ahead_{0};
  bool power_ = true;
  bool connected_ = false;
  std::uint32_t boot_ = 1;
  std::uint64_t incarnation_ = 0;  // of slurmd: timers of an earlier incarnation are ignored
  std::unique_ptr<NodeAgent> agent_;
  Epoch epoch_;  // on its disk
  std::set<wire::StepRef> processes_;
  std::map<wire::StepRef, wire::StepEnd> ended_;  // on its disk
};

}  // namespace muster::sim
