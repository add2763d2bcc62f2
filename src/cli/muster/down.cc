// muster down: ends the daemons of the embedded cluster. Queued jobs stay for the next `muster up`.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "cli/lib/errors.h"
#include "cli/lib/read_line.h"
#include "cli/muster/embedded.h"
#include "io/files.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr Seconds kPoliteWait{5};  // from SIGTERM to SIGKILL
constexpr Seconds kJobEndWait{60};

bool confirms(std::string_view question) {
  fmt::print("{} [y/N] ", question);
  std::fflush(stdout);
  auto answer = read_line();
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<void> cancel(Controller& controller, int signal) {
  wire::CancelRequest request;
  request.signal = signal;
  request.filter.emplace();
  request.filter->states = {JobState::running, JobState::suspended};
  request.filter->completing = true;
  request.full = signal != 0;
  auto reply = controller.ask_for<wire::CancelReply>(request);
  if (!reply) return std::unexpected(reply.error());
  return {};
}

Result<void> wait_for_jobs(Controller& controller) {
  const auto begun = std::chrono::steady_clock::now();
  bool has_killed = false;
  for (;;) {
    auto jobs = count_jobs(controller);
    if (!jobs) return std::unexpected(jobs.error());
    const std::size_t left = jobs->active + jobs->completing;
    if (left == 0) return {};
    const auto passed = std::chrono::steady_clock::now() - begun;
    if (passed > kJobEndWait)
      return fail(fmt::format("{} did not end within {} s; the cluster stays up",
                              counted(left, "job"), kJobEndWait.count()));
    if (passed > kPoliteWait && !has_killed) {
      has_killed = true;
      if (auto killed = cancel(controller, SIGKILL); !killed) return killed;
    }
    std::this_thread::sleep_for(20ms);
  }
}

// Close the partitions first, so that no queued job starts in place of a cancelled one.
Result<void> end_jobs(const Embedded& cluster, Controller& controller) {
  if (auto closed = open_partitions(cluster, controller, false); !closed) return closed;
  auto ended = cancel(controller, 0);
  if (ended) ended = wait_for_jobs(controller);
  if (ended) return {};
  if (auto opened = open_partitions(cluster, controller, true); !opened) return opened;
  return ended;
}

// Cancels running jobs, if forced or confirmed. True if the daemons may be stopped.
Result<bool> end_or_await_jobs(const Embedded& cluster, bool force) {
  auto controller = cluster.connect();
  if (!controller) return std::unexpected(controller.error());
  auto jobs = count_jobs(*controller);
  if (!jobs) return std::unexpected(jobs.error());
  if (jobs->active > 0) {
    const std::string run =
        fmt::format("{} {}", counted(jobs->active, "job"), jobs->active == 1 ? "runs" : "run");
    if (!force && !::isatty(STDIN_FILENO))
      return fail(fmt::format("{}: `muster down --force` cancels {}", run,
                              jobs->active == 1 ? "it" : "them"));
    if (!force && !confirms(fmt::format("{}. Cancel and stop the cluster?", run))) {
      fmt::print("The cluster stays up.\n");
      return false;
    }
    if (auto ended = end_jobs(cluster, *controller); !ended) return std::unexpected(ended.error());
    fmt::print("{} cancelled.\n", counted(jobs->active, "job"));
  } else if (jobs->completing > 0) {
    if (auto ended = wait_for_jobs(*controller); !ended) return std::unexpected(ended.error());
  }
  if (jobs->pending > 0)
    fmt::print("{} for the next `muster up`.\n",
               jobs->pending == 1 ? "1 queued job stays"
                                  : fmt::format("{} queued jobs stay", jobs->pending));
  return true;
}

Result<void> bring_down(const Embedded& cluster, bool force) {
  if (!io::exists(cluster.base())) {
    fmt::print("No cluster is up here.\n");
    return {};
  }
  if (auto made = cluster.make_directories(); !made) return made;
  if (auto locked = cluster.lock(); !locked) return locked;
  const bool has_controller = find_process(controller_daemon(cluster.run_directory())).has_value();
  if (!has_controller && cluster.has_live_steps()) {
    if (!force)
      return fail(
          "jobs run, but their slurmctld is gone: `muster up` recovers them, `muster down --force` "
          "ends them");
    if (auto started = start_cluster(cluster, cluster.recorded_options().value_or(UpOptions{}));
        !started)
      return started;
  } else if (!cluster.anything_runs()) {
    fmt::print("No cluster is up here.\n");
    return {};
  }
  if (find_process(controller_daemon(cluster.run_directory()))) {
    auto may_stop = end_or_await_jobs(cluster, force);
    if (!may_stop) return std::unexpected(may_stop.error());
    if (!*may_stop) return {};
  }
  for (const Daemon& daemon : list_daemons(cluster.run_directory()))
    if (auto ended = end_daemon(daemon, kDaemonEndWait); !ended) return ended;
  fmt::print("The cluster is down.\n");
  return {};
}

}  // namespace

int muster_down(std::vector<std::string_view> args) {
  bool force = false;
  for (std::string_view arg : args) {
    if (arg != "--force" && arg != "-f") {
      print_error("muster", fmt::format("down: unknown argument '{}'; there is --force", arg));
      return kExitFailure;
    }
    force = true;
  }
  if (auto down = bring_down(Embedded(), force); !down) {
    print_error("muster", down.error().text());
    return kExitFailure;
  }
  return 0;
}

}  // namespace muster::cli
