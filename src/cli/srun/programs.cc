// Runs srun --prolog and --epilog, and finds programs in PATH.
#include "cli/srun/programs.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <vector>

#include "base/text/strings.h"
#include "cli/allocation/exits.h"
#include "cli/lib/errors.h"

namespace muster::cli {
namespace {

constexpr int kNotExecuted = 127;

// The caller's environment, plus the ids of the step.
std::vector<std::string> program_environment(const std::string& context, const SrunPlan& plan,
                                             const AroundStep& around) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  variables["SLURM_SCRIPT_CONTEXT"] = context;
  variables["SLURM_JOB_ID"] = variables["SLURM_JOBID"] = std::to_string(around.job.value);
  variables["SLURM_STEP_ID"] = variables["SLURM_STEPID"] = std::to_string(around.step.value);
  variables["SLURM_JOB_NAME"] = plan.options.spec.name.str();
  variables["SLURM_NNODES"] = std::to_string(around.nodes);
  variables["SLURM_NTASKS"] = variables["SLURM_NPROCS"] = std::to_string(around.tasks);
  std::vector<std::string> list;
  list.reserve(variables.size());
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

int run_srun_program(const std::string& site_program, const std::string& context,
                     const SrunPlan& plan, const AroundStep& around) {
  const Text& own = context == "prolog_srun" ? plan.options.prolog : plan.options.epilog;
  const std::string program = own.empty() ? site_program : own.str();
  if (program.empty() || iequals(program, "none")) return 0;
  if (program.starts_with('/') && access(program.c_str(), R_OK | X_OK) != 0) {
    print_info("srun", fmt::format("Access denied for {}: {}", program, std::strerror(errno)));
    return 0;
  }
  std::vector<std::string> words{program};
  words.insert(words.end(), plan.task.argv.begin(), plan.task.argv.end());
  const std::vector<std::string> variables = program_environment(context, plan, around);

  // srun blocks the signals that it reads from a descriptor; the program must not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program.c_str(), nullptr, &attributes,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    print_error("srun", fmt::format("Failed to execute srun prolog/epilog script: {}",
                                    std::strerror(error)));
    return kNotExecuted;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of_status(static_cast<std::uint32_t>(status));
}

}  // namespace muster::cli
