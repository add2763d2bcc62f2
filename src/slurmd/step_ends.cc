// Ends of slurmstepds: as they report them, after a crash, and by force.
#include <unistd.h>

#include <csignal>
#include <utility>

#include "io/cgroup/cgroup.h"
#include "io/log.h"
#include "io/process/processes.h"
#include "io/wall_clock.h"
#include "slurmd/steps.h"

namespace muster {
namespace {

// Kills a slurmstepd and its descendants; the slurmstepd last, because it adopts orphans.
void kill_tree(pid_t root) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    const std::vector<pid_t> below = io::descendants(root);
    if (below.empty()) break;
    for (pid_t pid : below) kill(pid, SIGKILL);
    usleep(1000);
  }
  kill(root, SIGKILL);
}

}  // namespace

// Kills the processes of a slurmstepd that was killed: those in its group and in its tasks'
// sessions.
void SlurmdSteps::kill_leftovers(const io::StepNote& note) {
  constexpr int kTries = 5;  // a process may fork between being found and being killed
  if (note.groups.groups != Confinement::Groups::none) {
    constexpr int kWaits = 100;  // for their ends, a millisecond each
    std::unique_ptr<io::Cgroup> group = io::find_cgroup(note.groups);
    for (int i = 0; i < kWaits && !group->processes().empty(); ++i) {
      group->kill();
      usleep(1000);
    }
    group->remove();
  }
  if (note.sessions.empty()) return;
  for (int i = 0; i < kTries; ++i) {
    std::vector<pid_t> members = io::session_members(note);
    if (members.empty()) return;
    for (pid_t pid : members) kill(pid, SIGKILL);
  }
}

void SlurmdSteps::collect(const wire::StepRef& step) {
  const std::string file = file_of(step);
  running_.erase(step);
  if (auto end = io::read_step_end(file)) return on_ended_(std::move(*end));
  io::log_error("the slurmstepd of step {} ended unexpectedly", io::step_file_name(step));
  if (auto note = io::read_step_note(file)) kill_leftovers(*note);
  wire::StepEnd end = end_of_crashed(step, io::wall_clock(), "slurmstepd ended unexpectedly");
  // If this fails, a restarted slurmd finds the same again.
  (void)io::write_step_end(file, end);
  on_ended_(std::move(end));
}

wire::StepEnd SlurmdSteps::end_of_crashed(const wire::StepRef& step, Time now,
                                          const std::string& why) const {
  if (step.step == kBatchStep) {  // its slurmstepd could not clean up
    unlink((job_dir_of(step) + "/slurm_script").c_str());
    rmdir(job_dir_of(step).c_str());
  }
  wire::StepEnd end;
  end.ref = step;
  end.exit_status = SIGKILL;
  end.failure = why;
  end.ended = now;
  auto note = io::read_step_note(file_of(step));
  end.started = note ? note->started : now;
  return end;
}

// Whether the step itself may still end its processes.
bool SlurmdSteps::ends_in_time(const wire::StepRef& step, Running& running) {
  const Clock::time_point now = Clock::now();
  if (!running.kill_unheard) running.kill_unheard = now;
  if (now - *running.kill_unheard < kill_patience_) return true;
  running.kill_unheard = now;
  // Later, because the caller may be iterating over the steps.
  if (std::exchange(running.was_forced, true))
    loop_.post([this, step] { give_up(step); });
  else
    end_by_force(step);
  return false;
}

// The user may have stopped or blocked the slurmstepd; the job must end nevertheless.
void SlurmdSteps::end_by_force(const wire::StepRef& step) {
  const std::string file = file_of(step);
  io::log_error("the slurmstepd of step {} does not answer: slurmd ends it and its processes",
                io::step_file_name(step));
  auto note = io::read_step_note(file);
  if (!note) return;
  if (note->pid != 0 && io::is_step_alive(file)) kill_tree(static_cast<pid_t>(note->pid));
  kill_leftovers(*note);
}

// The slurmstepd hangs in the kernel and cannot be killed.
void SlurmdSteps::give_up(const wire::StepRef& step) {
  auto found = running_.find(step);
  if (found == running_.end()) return;
  if (found->second.socket) loop_.unwatch(found->second.socket->fd());
  running_.erase(found);
  wire::StepEnd end = end_of_crashed(step, io::wall_clock(), "slurmstepd cannot be ended");
  end.unkillable = true;
  (void)io::write_step_end(file_of(step), end);
  on_ended_(std::move(end));
}

}  // namespace muster
