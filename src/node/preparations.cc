// Runs the Prolog and the InitScript of an attempt, and remembers how they ended.
#include "node/preparations.h"

#include <fmt/format.h>

namespace muster {

void Preparations::found(AttemptRef attempt) { prologs_.emplace(attempt, Progress::succeeded); }

Preparations::Progress Preparations::prepare(AttemptRef attempt,
                                             const std::vector<std::string>& environment,
                                             const NodePrograms& programs) {
  if (!programs.prolog || environment.empty()) return Progress::succeeded;
  auto [known, is_new] = prologs_.try_emplace(attempt, Progress::runs);
  if (!is_new) return known->second;
  if (programs.in_job && !is_unallocated(attempt.job))
    before_extern_.emplace(attempt, environment);
  else
    host_.run_program(NodeProgram::prolog, attempt, environment);
  return Progress::runs;
}

// If the extern step could not be started, the Prolog runs nevertheless.
void Preparations::run_prolog_in_job(AttemptRef attempt) {
  auto waiting = before_extern_.extract(attempt);
  if (!waiting.empty()) host_.run_program(NodeProgram::prolog, attempt, waiting.mapped());
}

Preparations::Progress Preparations::initialize(const wire::StepLaunch& launch,
                                                const NodePrograms& programs) {
  if (!programs.init_script) return Progress::succeeded;
  const AttemptRef attempt{launch.ref.job, launch.ref.attempt};
  auto [known, is_new] = init_scripts_.try_emplace(attempt, Progress::runs);
  if (is_new)
    host_.run_program(NodeProgram::init_script, attempt,
                      {fmt::format("SLURM_JOB_ID={}", launch.ref.job.value),
                       fmt::format("SLURM_JOB_UID={}", launch.uid.value),
                       fmt::format("SLURM_JOB_USER={}", launch.user_name.view())});
  return known->second;
}

bool Preparations::prolog_ended(AttemptRef attempt, bool succeeded) {
  prologs_[attempt] = succeeded ? Progress::succeeded : Progress::failed;
  if (succeeded) host_.note_prepared(attempt, true);
  return awaited_.erase(attempt) > 0;
}

void Preparations::init_script_ended(AttemptRef attempt, bool succeeded) {
  init_scripts_[attempt] = succeeded ? Progress::succeeded : Progress::failed;
}

bool Preparations::any_runs(AttemptRef attempt) const {
  for (const auto* programs : {&prologs_, &init_scripts_})
    if (auto program = programs->find(attempt);
        program != programs->end() && program->second == Progress::runs)
      return true;
  return false;
}

void Preparations::cancel_waiting(AttemptRef attempt) {
  if (before_extern_.erase(attempt) > 0) prologs_.erase(attempt);  // it never began
}

void Preparations::forget(AttemptRef attempt) {
  awaited_.erase(attempt);
  init_scripts_.erase(attempt);
  if (prologs_.erase(attempt) > 0) host_.note_prepared(attempt, false);
}

}  // namespace muster
