// slurmd: the daemon of a compute node. It keeps one connection to slurmctld, starts a slurmstepd
// for each step that it is ordered to run, and reports how steps end. It may stop and start at any
// time: steps go on.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "base/version.h"
#include "io/files.h"
#include "io/hardware/hardware.h"
#include "io/log.h"
#include "io/loop/signal_watch.h"
#include "io/process/daemonize.h"
#include "io/stepd/step_file.h"
#include "slurmd/claim.h"
#include "slurmd/config.h"
#include "slurmd/host.h"
#include "slurmd/options.h"

namespace muster {
namespace {

const std::vector<int> kSignals = {SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGCHLD, SIGPWR};

int print_hardware(const io::Hardware& hardware) {
  const auto up = hardware.uptime.count();
  fmt::print(
      "NodeName={} CPUs={} Boards={} SocketsPerBoard={} CoresPerSocket={} ThreadsPerCore={} "
      "RealMemory={}\n",
      hardware.host_name, hardware.cpus, hardware.boards, hardware.sockets,
      hardware.cores_per_socket, hardware.threads_per_core, hardware.memory_mib);
  fmt::print("UpTime={}-{:02}:{:02}:{:02}\n", up / 86400, up / 3600 % 24, up / 60 % 60, up % 60);
  return 0;
}

std::string config_path(const SlurmdOptions& options) {
  std::string path = options.config_file;
  if (const char* given = std::getenv("SLURM_CONF"); path.empty() && given) path = given;
  if (path.empty()) path = "/etc/slurm/slurm.conf";
  // The daemon changes its directory, after which a relative name would mean another file.
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : path;
}

NodeIdentity identity_of(const SlurmdOptions& options) {
  return {options.node_name, options.dynamic, options.dynamic_conf};
}

std::string stepd_path(const SlurmdOptions& options) {
  if (!options.stepd_path.empty()) return options.stepd_path;
  char self[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  std::string path(self, size > 0 ? static_cast<std::size_t>(size) : 0);
  return path.substr(0, path.rfind('/') + 1) + "slurmstepd";
}

void open_slurmd_log(const SlurmdOptions& options, const SlurmdConfig& config) {
  io::LogOptions log;
  log.program = "slurmd";
  log.file = options.log_file.empty() ? config.log_file : options.log_file;
  const int level = static_cast<int>(config.log_level) + options.verbosity;
  log.file_level =
      static_cast<io::LogLevel>(std::min(level, static_cast<int>(io::LogLevel::debug5)));
  log.to_stderr = options.foreground;
  log.stderr_level = log.file_level;
  io::open_log(log);
}

void forget_old_ends(const std::string& spool_dir) {
  const std::string steps = spool_dir + "/steps";
  for (const wire::StepRef& step : io::list_step_files(steps)) {
    const std::string file = steps + "/" + io::step_file_name(step);
    if (!io::is_step_alive(file)) io::remove_step_file(file);
  }
}

void on_signal(Slurmd& slurmd, int signal) {
  if (signal == SIGTERM || signal == SIGINT) {
    io::log_info("signal {}: stopping; steps go on", signal);
    slurmd.stop();
  } else if (signal == SIGPWR) {
    io::log_info("the machine is stopping: its jobs are notified");
    slurmd.leave_with_host();
  } else if (signal == SIGCHLD) {
    slurmd.reap_steps();
  } else {
    io::reopen_log();
    if (signal == SIGHUP) slurmd.reconfigure();
  }
}

int serve(const SlurmdOptions& options, io::Hardware hardware, SlurmdConfig config) {
  if (!options.foreground)
    if (auto daemon = io::daemonize(); !daemon) io::daemon_failed(daemon.error().text());
  umask(022);
  io::keep_memory_private();
  open_slurmd_log(options, config);
  auto pid_file = io::PidFile::create(config.pid_file);
  if (!pid_file) io::daemon_failed(pid_file.error().text());
  if (options.nice != 0 && setpriority(PRIO_PROCESS, 0, options.nice) != 0)
    io::log_error("cannot set the nice value {}", options.nice);
  for (const std::string& warning : config.warnings) io::log_info("{}", warning);
  if (options.cleanup) forget_old_ends(config.spool_dir);
  if (options.report_reboot) hardware.boot_id += fmt::format("+{}", getpid());

  io::block_signals(kSignals);  // before any thread exists
  std::signal(SIGPIPE, SIG_IGN);
  std::promise<void> stopped;
  Slurmd slurmd({.config = config,
                 .hardware = hardware,
                 .stepd_path = stepd_path(options),
                 .named = !options.node_name.empty(),
                 .config_path = config.config_file,
                 .identity = identity_of(options)},
                [&] { stopped.set_value(); });
  auto begun = slurmd.begin([&] {
    io::log_info("slurmd of node {} started", config.node_name);
    io::daemon_ready();
  });
  if (!begun) io::daemon_failed(begun.error().text());
  const io::SignalWatch signals(slurmd.loop(), kSignals,
                                [&](int signal) { on_signal(slurmd, signal); });
  stopped.get_future().wait();
  // Gives the farewell a moment to reach the controller.
  usleep(50'000);
  io::log_info("slurmd of node {} stopped", config.node_name);
  return 0;
}

int run(int argc, char** argv) {
  auto options = parse_slurmd_options(argc, argv);
  if (!options) {
    fmt::print(stderr, "slurmd: error: {}\n", options.error().text());
    return 1;
  }
  if (options->print_help) return std::fputs(kSlurmdHelp, stdout) < 0;
  if (options->print_version) return std::puts(kVersionLine.data()) < 0;

  auto hardware = io::detect_hardware();
  if (!hardware) {
    fmt::print(stderr, "slurmd: error: {}\n", hardware.error().text());
    return 1;
  }
  if (options->print_hardware) return print_hardware(*hardware);

  if (options->future) {
    auto name = claim_node(config_path(*options), *hardware, options->future_feature);
    if (!name) {
      fmt::print(stderr, "slurmd: error: {}\n", name.error().text());
      return 1;
    }
    options->node_name = *name;
  }

  auto config = read_slurmd_config(config_path(*options), identity_of(*options), *hardware);
  if (!config) {
    fmt::print(stderr, "slurmd: error: {}\n", config.error().text());
    return 1;
  }
  return serve(*options, std::move(*hardware), std::move(*config));
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) { return muster::run(argc, argv); }
