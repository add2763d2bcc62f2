// The site's programs on this node (Prolog, Epilog, HealthCheckProgram, RebootProgram): run as
// root, in a bare environment, one thread each.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/strings.h"
#include "daemon/slurmd_host.h"
#include "io/log.h"

namespace muster {
namespace {

constexpr Seconds kNodeProgramTimeout{60};

Time wall_clock() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

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

void Slurmd::run_program(NodeProgram program, AttemptRef attempt,
                         const std::vector<std::string>& environment) {
  const SlurmdConfig& config = start_.config;
  const bool is_prolog = program == NodeProgram::prolog;
  io::ProgramRun run{.path = is_prolog ? config.prolog : config.epilog,
                     .environment = environment,
                     .arguments = {},
                     .timeout = config.program_timeout};
  for (const std::string& entry : node_program({}).environment) run.environment.push_back(entry);
  if (environment.empty()) {  // the controller has forgotten the job
    run.environment.push_back(fmt::format("SLURM_JOB_ID={}", attempt.job.value));
    run.environment.push_back(fmt::format("SLURM_JOBID={}", attempt.job.value));
  }
  io::ProgramRunner& runner = config.serial_programs ? programs_in_turn_ : programs_;
  runner.run(std::move(run), [this, program, is_prolog, attempt](const io::ProgramEnd& end) {
    if (!end.succeeded)
      io::log_error("[job {}] {} failed: {} output:{}", attempt.job.value,
                    is_prolog ? "prolog" : "epilog", end.failure, end.output);
    loop_.post([this, program, attempt, succeeded = end.succeeded] {
      agent_->on_program_ended(program, attempt, succeeded, wall_clock());
    });
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
