// The site's programs on this node (Prolog, Epilog, HealthCheckProgram, RebootProgram and others):
// run as root, in a bare environment, one thread each.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/text/strings.h"
#include "io/log.h"
#include "io/wall_clock.h"
#include "slurmd/host.h"

namespace muster {
namespace {

constexpr Seconds kNodeProgramTimeout{60};

std::string file_name(AttemptRef attempt) {
  return fmt::format("{}.{}", attempt.job.value, attempt.attempt.value);
}

}  // namespace

std::vector<AttemptRef> list_prepared(const std::string& dir) {
  std::vector<AttemptRef> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    const std::vector<std::string_view> parts = split(name, '.');
    if (parts.size() != 2) continue;
    auto job = parse_number<std::uint32_t>(parts[0]);
    auto attempt = parse_number<std::uint32_t>(parts[1]);
    if (job && attempt) found.push_back({JobId{*job}, Attempt{*attempt}});
  }
  return found;
}

void Slurmd::note_prepared(AttemptRef attempt, bool prepared) {
  const std::string path = prepared_dir() + "/" + file_name(attempt);
  if (!prepared) {
    unlink(path.c_str());
    return;
  }
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return io::log_error("{}: cannot be made; a restart would run the Prolog again", path);
  close(fd);
}

NodePrograms Slurmd::node_programs() const {
  const SlurmdConfig& config = start_.config;
  return {
      .prolog = !config.prolog.empty(),
      .epilog = !config.epilog.empty(),
      .init_script = config.private_directories && !config.private_directories->init_script.empty(),
      .in_job = config.programs_in_job};
}

// PrologFlags=RunInJob: those of the extern step. An earlier slurmd's are found in its note.
std::optional<io::ProgramGroups> Slurmd::groups_for_program(AttemptRef attempt) const {
  if (!start_.config.programs_in_job) return std::nullopt;
  Confinement groups;
  if (auto known = extern_groups_.find(attempt); known != extern_groups_.end())
    groups = known->second;
  else if (auto note = steps_.note_of({attempt.job, attempt.attempt, kExternStep}))
    groups = note->groups;
  if (groups.groups == Confinement::Groups::none) return std::nullopt;
  return io::ProgramGroups{std::move(groups), start_.stepd_path};
}

// Once for a job, whose directories outlive a slurmd.
void Slurmd::run_init_script(AttemptRef attempt, const std::vector<std::string>& environment) {
  if (namespaces_->has(attempt.job))
    return when_ended(NodeProgram::init_script, attempt, io::ProgramEnd{});
  io::ProgramRun run = node_program(start_.config.private_directories->init_script);
  run.environment.insert(run.environment.end(), environment.begin(), environment.end());
  programs_.run(std::move(run), [this, attempt](const io::ProgramEnd& end) {
    when_ended(NodeProgram::init_script, attempt, end);
  });
}

// On any thread.
void Slurmd::when_ended(NodeProgram program, AttemptRef attempt, const io::ProgramEnd& end) {
  constexpr std::string_view kNames[] = {"prolog", "epilog", "InitScript"};
  if (!end.succeeded)
    io::log_error("[job {}] {} failed: {} output:{}", attempt.job.value,
                  kNames[static_cast<std::size_t>(program)], end.failure, end.output);
  loop_.post([this, program, attempt, succeeded = end.succeeded] {
    agent_->on_program_ended(program, attempt, succeeded, io::steady_time());
  });
}

void Slurmd::run_program(NodeProgram program, AttemptRef attempt,
                         const std::vector<std::string>& environment) {
  if (program == NodeProgram::init_script) return run_init_script(attempt, environment);
  const SlurmdConfig& config = start_.config;
  const bool is_prolog = program == NodeProgram::prolog;
  io::ProgramRun run{.path = is_prolog ? config.prolog : config.epilog,
                     .environment = environment,
                     .arguments = {},
                     .timeout = config.program_timeout,
                     .groups = groups_for_program(attempt)};
  for (const std::string& entry : node_program({}).environment) run.environment.push_back(entry);
  if (environment.empty()) {  // the controller has forgotten the job
    run.environment.push_back(fmt::format("SLURM_JOB_ID={}", attempt.job.value));
    run.environment.push_back(fmt::format("SLURM_JOBID={}", attempt.job.value));
  }
  io::ProgramRunner& runner = config.serial_programs ? programs_in_turn_ : programs_;
  runner.run(std::move(run), [this, program, attempt](const io::ProgramEnd& end) {
    when_ended(program, attempt, end);
  });
}

io::ProgramRun Slurmd::node_program(const std::string& path) const {
  return {.path = path,
          .environment = {"SLURMD_NODENAME=" + start_.config.node_name,
                          "SLURM_CONF=" + start_.config.config_file},
          .arguments = {},
          .timeout = kNodeProgramTimeout};
}

void Slurmd::check_health() {
  check_health([] {});
}

// `then` follows in any case, on the main thread.
void Slurmd::check_health(std::function<void()> then) {
  const std::string& path = start_.config.health_check_program;
  if (path.empty() || std::exchange(checks_health_, true)) return then();
  programs_.run(node_program(path), [this, then = std::move(then)](const io::ProgramEnd& end) {
    if (!end.succeeded) io::log_error("health check failed: {} output:{}", end.failure, end.output);
    loop_.post([this, then] {
      checks_health_ = false;
      then();
    });
  });
}

void Slurmd::tell_of_unkillable(const wire::StepRef& step) {
  io::log_error("[{}.{}] processes are left that SIGKILL does not end", step.job.value,
                step_name(step.step));
  if (start_.config.unkillable_step_program.empty()) return;
  io::ProgramRun run = node_program(start_.config.unkillable_step_program);
  for (std::string_view name : {"SLURM_JOBID", "SLURM_JOB_ID"})
    run.environment.push_back(fmt::format("{}={}", name, step.job.value));
  for (std::string_view name : {"SLURM_STEPID", "SLURM_STEP_ID"})
    run.environment.push_back(fmt::format("{}={}", name, step.step.value));
  programs_.run(std::move(run), [](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("UnkillableStepProgram failed: {} output:{}", end.failure, end.output);
  });
}

void Slurmd::reboot() {
  const std::string& path = start_.config.reboot_program;
  if (path.empty())
    return io::log_error("slurmctld orders a reboot, but there is no RebootProgram");
  io::log_info("slurmctld orders a reboot: running {}", path);
  programs_.run(node_program(path), [](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("RebootProgram failed: {} output:{}", end.failure, end.output);
  });
}

}  // namespace muster
