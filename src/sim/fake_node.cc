// Pretend processes: they run for a while, sometimes fail, and may ignore SIGTERM.
#include "sim/fake_node.h"

#include <csignal>

namespace muster::sim {

FakeNode::FakeNode(Schedule& schedule, Text name, std::uint32_t cpus, Callbacks callbacks,
                   Behavior behavior)
    : schedule_(schedule),
      name_(std::move(name)),
      cpus_(cpus),
      callbacks_(std::move(callbacks)),
      behavior_(behavior) {}

void FakeNode::start_slurmd() {
  if (!power_ || agent_) return;
  agent_ = std::make_unique<NodeAgent>(
      *this, NodeAgentOptions{.name = name_, .epoch = epoch_, .programs = behavior_.programs});
  for (const wire::StepRef& step : processes_) agent_->on_found_running(step);
  for (const auto& [ref, end] : ended_) agent_->on_found_ended(end);
  ++incarnation_;
  tick();
}

void FakeNode::stop_slurmd() {
  agent_.reset();
  connected_ = false;
  ++incarnation_;
}

void FakeNode::lose_power() {
  power_ = false;
  processes_.clear();
  ended_.clear();
  stop_slurmd();
}

void FakeNode::restore_power() {
  power_ = true;
  ++boot_;
}

void FakeNode::tick() {
  if (!agent_) return;
  agent_->on_tick(schedule_.now());
  agent_->flush();
  schedule_.after(Millis{500}, [this, then = incarnation_] {
    if (then == incarnation_) tick();
  });
}

void FakeNode::on_connected() {
  if (!agent_) return;
  connected_ = true;
  agent_->on_connected(schedule_.now());
  agent_->flush();
}

void FakeNode::on_disconnected() {
  if (!agent_ || !connected_) return;
  connected_ = false;
  agent_->on_disconnected();
}

void FakeNode::on_orders(const wire::OrderBatch& batch) {
  if (!agent_ || !connected_) return;
  agent_->on_orders(batch, schedule_.now());
  agent_->flush();
}

NodeFacts FakeNode::facts() {
  NodeFacts facts;
  facts.boot_id = "boot-" + std::to_string(boot_);
  facts.cpus = cpus_;
  facts.memory_mib = 1 << 20;
  return facts;
}

Result<void> FakeNode::spawn(const wire::StepLaunch& launch) {
  wire::StepRef ref = launch.ref;
  if (schedule_.chance(behavior_.failing_launches_percent)) return fail("no more processes");
  processes_.insert(ref);
  callbacks_.started(*this, ref);
  std::uint32_t status = schedule_.chance(100 - behavior_.failing_steps_percent) ? 0 : (1 << 8);
  schedule_.after(
      Millis{schedule_.between(behavior_.shortest_step.count(), behavior_.longest_step.count())},
      [this, ref, status] { end_process(ref, status); });
  return {};
}

void FakeNode::signal(const wire::StepRef& step, int number, SignalScope) {
  if (number != SIGTERM && number != SIGKILL) return;
  if (number == SIGTERM && schedule_.chance(20)) return;  // ignores the signal
  schedule_.after(Millis{schedule_.between(0, 2000)},
                  [this, step, number] { end_process(step, static_cast<std::uint32_t>(number)); });
}

// A program that was running when slurmd was killed is gone; the next slurmd starts it anew.
void FakeNode::run_program(NodeProgram program, AttemptRef attempt,
                           const std::vector<std::string>&) {
  const bool succeeds = !schedule_.chance(behavior_.failing_programs_percent);
  const Millis takes{schedule_.between(0, 8000)};
  schedule_.after(takes, [this, then = incarnation_, program, attempt, succeeds] {
    if (then != incarnation_ || !agent_) return;
    agent_->on_program_ended(program, attempt, succeeds, schedule_.now());
    agent_->flush();
  });
}

// Later, because the order to reboot is still being carried out.
void FakeNode::reboot() {
  schedule_.after(Millis{schedule_.between(0, 2000)}, [this, then = incarnation_] {
    if (then == incarnation_ && callbacks_.reboot) callbacks_.reboot(*this);
  });
}

void FakeNode::end_process(const wire::StepRef& step, std::uint32_t status) {
  if (processes_.erase(step) == 0) return;
  wire::StepEnd end{.ref = step, .exit_status = status, .ended = schedule_.now() + clock_ahead_};
  ended_[step] = end;
  if (!agent_) return;  // the next slurmd finds it
  agent_->on_step_ended(end, schedule_.now());
  agent_->flush();
}

}  // namespace muster::sim
