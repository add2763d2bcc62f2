// The step's control group: its processes, their limits, and whether they ran out of memory.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "base/text/date.h"
#include "step/signals.h"
#include "step/supervisor.h"

namespace muster::step {

Result<void> Supervisor::make_group() {
  if (setup_.confinement.groups == Confinement::Groups::none) return {};
  auto group = io::make_cgroup(setup_.confinement);
  if (!group) return std::unexpected(group.error());
  cgroup_ = std::move(*group);
  return {};
}

void Supervisor::signal_all(int number) {
  if (number == SIGKILL && !unkillable_at_ && setup_.unkillable_after > Seconds{0})
    unkillable_at_ = Clock::now() + setup_.unkillable_after;
  if (setup_.track_by_group) return signal_groups(tasks_, number);
  // Between fork and joining its group, only a search by parents finds a child.
  signal_everything(number);
  if (!cgroup_) return;
  if (number == SIGKILL) return cgroup_->kill();
  const std::vector<pid_t> signalled = io::descendants(getpid());
  for (pid_t pid : cgroup_->processes())
    if (std::ranges::find(signalled, pid) == signalled.end()) kill(pid, number);
}

std::vector<pid_t> Supervisor::processes() const {
  std::vector<pid_t> all = io::descendants(getpid());
  if (cgroup_)
    for (pid_t pid : cgroup_->processes())
      if (std::ranges::find(all, pid) == all.end()) all.push_back(pid);
  return all;
}

// The job will end later. If the script has a trap, all programs that it runs are signalled,
// because a shell runs its trap only when its foreground program has ended. A script without a trap
// would end at once, so that its programs could not use their grace time: it gets no signal, and
// programs without a handler get none either. Tasks of an srun have been signalled already.
void Supervisor::send_grace_signals() {
  const bool has_trap =
      std::ranges::any_of(tasks_, [](const Task& task) { return io::catches(task.pid, SIGTERM); });
  for (pid_t pid : processes())
    if ((has_trap || io::catches(pid, SIGTERM)) && io::process_name(pid) != "srun")
      kill(pid, SIGTERM);
}

bool Supervisor::anything_left() const {
  if (setup_.track_by_group) return is_any_group_left(tasks_);
  return children_left_ || (cgroup_ && !cgroup_->processes().empty());
}

// The processes wait in the kernel for a disk or device that does not answer. An administrator must
// look at the node; the job does not wait for that.
void Supervisor::give_up() {
  const Time now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  say(fmt::format("*** {} STEPD TERMINATED ON {} AT {} DUE TO JOB NOT ENDING WITH SIGNALS ***",
                  own_name(), setup_.node_name.view(), format_date(now)));
  end_.unkillable = true;
  for (Task& task : tasks_)
    if (!task.ended) task.wait_status = SIGKILL;
}

bool Supervisor::left_an_srun() const {
  return std::ranges::any_of(io::descendants(getpid()),
                             [](pid_t pid) { return io::process_name(pid) == "srun"; });
}

// A shell without a trap ends at the SIGTERM of the notice; the program that it ran may catch the
// signal, and has until the end of the job to save its work.
bool Supervisor::saves_work() const {
  if (!has_notice_ || told_to_end_ || leave_by_) return false;
  return std::ranges::any_of(tasks_,
                             [](const Task& task) { return (task.wait_status & 0x7f) == SIGTERM; });
}

// Also sends SIGCONT: without a freezer the step was stopped by SIGSTOP.
void Supervisor::freeze(bool frozen) {
  if (frozen && cgroup_ && cgroup_->freeze(true)) return;
  if (frozen) return signal_all(SIGSTOP);
  if (cgroup_) (void)cgroup_->freeze(false);
  signal_all(SIGCONT);
}

void Supervisor::kill_if_over_memory() {
  const std::uint64_t limit_kib = setup_.confinement.kill_over_kib;
  const std::uint64_t used_kib = usage_.sampled_rss_kib();
  if (limit_kib == 0 || used_kib <= limit_kib || end_.out_of_memory) return;
  const wire::StepRef& ref = setup_.launch.ref;
  say(fmt::format("StepId={}.{} exceeded memory limit ({} > {}), being killed", ref.job.value,
                  step_name(ref.step), used_kib << 10, limit_kib << 10));
  end_.out_of_memory = true;
  for (Task& task : tasks_) task.out_of_memory = true;
  signal_all(SIGKILL);
}

void Supervisor::note_out_of_memory() {
  if (!cgroup_) return;
  const std::uint64_t kills = cgroup_->oom_kills();
  if (kills == 0) return;
  end_.out_of_memory = true;
  const wire::StepRef& ref = setup_.launch.ref;
  say(
      fmt::format("Detected {} oom-kill event(s) in StepId={}.{}. Some of your processes may have "
                  "been killed by the cgroup out-of-memory handler.",
                  kills, ref.job.value, step_name(ref.step)));
  const std::uint64_t limit_mib = setup_.confinement.step_memory_bytes.value_or(0) >> 20;
  const std::string victim = io::last_oom_victim(cgroup_->memory_path());
  say(
      fmt::format("Process {} needed more than the limit of {}M. Ask for more memory, for "
                  "example with --mem={}M.",
                  victim.empty() ? "unknown" : victim, limit_mib, limit_mib * 2));
}

}  // namespace muster::step
