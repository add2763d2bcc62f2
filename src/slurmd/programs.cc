// Runs site programs on threads, and reports their ends on the loop.
#include "slurmd/programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/text/strings.h"
#include "io/log.h"
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

void note_prepared_in(const std::string& dir, AttemptRef attempt, bool prepared) {
  const std::string path = dir + "/" + file_name(attempt);
  if (!prepared) {
    unlink(path.c_str());
    return;
  }
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return io::log_error("{}: cannot be made; a restart would run the Prolog again", path);
  close(fd);
}

NodePrograms node_programs(const SlurmdConfig& config) {
  return {
      .prolog = !config.prolog.empty(),
      .epilog = !config.epilog.empty(),
      .init_script = config.private_directories && !config.private_directories->init_script.empty(),
      .in_job = config.programs_in_job};
}

// On any thread.
void SlurmdPrograms::when_ended(NodeProgram program, AttemptRef attempt,
                                const io::ProgramEnd& end) {
  constexpr std::string_view kNames[] = {"prolog", "epilog", "InitScript"};
  if (!end.succeeded)
    io::log_error("[job {}] {} failed: {} output:{}", attempt.job.value,
                  kNames[static_cast<std::size_t>(program)], end.failure, end.output);
  loop_.post([this, program, attempt, succeeded = end.succeeded] {
    on_end_(program, attempt, succeeded);
  });
}

void SlurmdPrograms::skip(NodeProgram program, AttemptRef attempt) {
  when_ended(program, attempt, io::ProgramEnd{});
}

void SlurmdPrograms::run(NodeProgram program, AttemptRef attempt,
                         const std::vector<std::string>& environment,
                         std::optional<io::ProgramGroups> groups) {
  auto on_end = [this, program, attempt](const io::ProgramEnd& end) {
    when_ended(program, attempt, end);
  };
  if (program == NodeProgram::init_script) {
    io::ProgramRun run = plain_run(config_.private_directories->init_script);
    run.environment.insert(run.environment.end(), environment.begin(), environment.end());
    return runner_.run(std::move(run), on_end);
  }
  const bool is_prolog = program == NodeProgram::prolog;
  io::ProgramRun run{.path = is_prolog ? config_.prolog : config_.epilog,
                     .environment = environment,
                     .arguments = {},
                     .timeout = config_.program_timeout,
                     .groups = std::move(groups)};
  for (const std::string& entry : plain_run({}).environment) run.environment.push_back(entry);
  if (environment.empty()) {  // the controller has forgotten the job
    run.environment.push_back(fmt::format("SLURM_JOB_ID={}", attempt.job.value));
    run.environment.push_back(fmt::format("SLURM_JOBID={}", attempt.job.value));
  }
  io::ProgramRunner& runner = config_.serial_programs ? in_turn_ : runner_;
  runner.run(std::move(run), on_end);
}

io::ProgramRun SlurmdPrograms::plain_run(const std::string& path) const {
  return {
      .path = path,
      .environment = {"SLURMD_NODENAME=" + config_.node_name, "SLURM_CONF=" + config_.config_file},
      .arguments = {},
      .timeout = kNodeProgramTimeout};
}

void SlurmdPrograms::check_health(std::function<void()> then) {
  const std::string& path = config_.health_check_program;
  if (path.empty() || std::exchange(checks_health_, true)) return then();
  runner_.run(plain_run(path), [this, then = std::move(then)](const io::ProgramEnd& end) {
    if (!end.succeeded) io::log_error("health check failed: {} output:{}", end.failure, end.output);
    loop_.post([this, then] {
      checks_health_ = false;
      then();
    });
  });
}

void SlurmdPrograms::tell_of_unkillable(const wire::StepRef& step) {
  io::log_error("[{}.{}] SIGKILL does not end some of its processes", step.job.value,
                step_name(step.step));
  if (config_.unkillable_step_program.empty()) return;
  io::ProgramRun run = plain_run(config_.unkillable_step_program);
  for (std::string_view name : {"SLURM_JOBID", "SLURM_JOB_ID"})
    run.environment.push_back(fmt::format("{}={}", name, step.job.value));
  for (std::string_view name : {"SLURM_STEPID", "SLURM_STEP_ID"})
    run.environment.push_back(fmt::format("{}={}", name, step.step.value));
  runner_.run(std::move(run), [](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("UnkillableStepProgram failed: {} output:{}", end.failure, end.output);
  });
}

void SlurmdPrograms::reboot() {
  const std::string& path = config_.reboot_program;
  if (path.empty())
    return io::log_error("slurmctld has ordered a reboot, but there is no RebootProgram");
  io::log_info("slurmctld has ordered a reboot: running {}", path);
  runner_.run(plain_run(path), [](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("RebootProgram failed: {} output:{}", end.failure, end.output);
  });
}

void SlurmdPrograms::forget() {
  runner_.forget();
  in_turn_.forget();
}

void Slurmd::note_prepared(AttemptRef attempt, bool prepared) {
  note_prepared_in(prepared_dir(), attempt, prepared);
}

// PrologFlags=RunInJob: the groups of the extern step. Those of an earlier slurmd are in its note.
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

// The InitScript runs once per job, whose directories outlive slurmd.
void Slurmd::run_program(NodeProgram program, AttemptRef attempt,
                         const std::vector<std::string>& environment) {
  if (program != NodeProgram::init_script)
    return programs_.run(program, attempt, environment, groups_for_program(attempt));
  if (namespaces_->has(attempt.job)) return programs_.skip(program, attempt);
  programs_.run(program, attempt, environment, {});
}

void Slurmd::check_health() {
  programs_.check_health([] {});
}
void Slurmd::reboot() { programs_.reboot(); }

}  // namespace muster
