// Which job a process belongs to, and what its processes are told.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/strings.h"
#include "io/files.h"
#include "io/process/processes.h"
#include "io/wall_clock.h"
#include "slurmd/host.h"

namespace muster {

namespace {

// "0::/slurm_n1/uid_0/job_12/step_0": the process is in the group or below it.
bool is_in_group(const std::string& groups, const Text& path) {
  if (path.empty()) return false;
  for (std::string_view line : split(groups, '\n')) {
    const std::size_t at = line.find(path.view());
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view rest = line.substr(at + path.view().size());
    if (rest.empty() || rest.front() == '/') return true;
  }
  return false;
}

}  // namespace

// A slurmstepd adopts what its tasks leave behind, so it is above all of them. Processes that came
// in another way are in the job's control group.
std::optional<wire::StepRef> SlurmdSteps::step_of(pid_t process, Uid user) const {
  constexpr int kDeepest = 256;
  std::map<pid_t, wire::StepRef> supervisors;
  std::map<wire::StepRef, Text> groups;
  for (const auto& [step, running] : running_) {
    if (running.uid != user) continue;
    const auto note = note_of(step);
    if (!note) continue;
    supervisors.emplace(static_cast<pid_t>(note->pid), step);
    if (!note->groups.job_path.empty()) groups.emplace(step, note->groups.job_path);
  }
  pid_t at = process;
  for (int depth = 0; depth < kDeepest && at > 1; ++depth) {
    if (auto found = supervisors.find(at); found != supervisors.end()) return found->second;
    const auto info = io::read_process(at);
    if (!info) break;
    at = info->parent;
  }
  if (groups.empty()) return std::nullopt;
  const auto text = io::read_file(fmt::format("/proc/{}/cgroup", process));
  if (!text) return std::nullopt;
  for (const auto& [step, path] : groups)
    if (is_in_group(*text, path)) return step;
  return std::nullopt;
}

bool SlurmdSteps::has_steps_of(Uid user) const {
  return std::ranges::any_of(running_, [&](const auto& each) { return each.second.uid == user; });
}

std::optional<Uid> SlurmdSteps::user_of(AttemptRef attempt) const {
  const auto first = running_.lower_bound({attempt.job, attempt.attempt, StepId{0}});
  if (first == running_.end() || first->first.job != attempt.job ||
      first->first.attempt != attempt.attempt)
    return std::nullopt;
  return first->second.uid;
}

Result<void> Slurmd::listen_to_jobs() {
  job_socket_.emplace(
      loop_, start_.config.spool_dir,
      JobSocket::Callbacks{.has_job = [this](Uid user) { return steps_.has_steps_of(user); },
                           .job_of = [this](pid_t process, Uid user) -> std::optional<AttemptRef> {
                             const auto step = steps_.step_of(process, user);
                             if (!step || is_unallocated(step->job)) return std::nullopt;
                             return AttemptRef{step->job, step->attempt};
                           },
                           .ask =
                               [this](AttemptRef attempt, JobAsk what, Seconds by) {
                                 return agent_->on_job_ask(attempt, what, by, io::steady_time());
                               }});
  return job_socket_->listen(
      [this](AttemptRef attempt) { return steps_.user_of(attempt).has_value(); });
}

void Slurmd::post_notice(AttemptRef attempt, const StopNotice& notice) {
  job_socket_->post(attempt, notice);
}

void Slurmd::answer_job(JobAskId id, std::string_view refusal, Seconds granted) {
  job_socket_->answer(id, refusal, granted);
}

}  // namespace muster
