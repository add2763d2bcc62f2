// srun --bcast: sends the program and its libraries to the nodes.
#include "cli/srun/bcast.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "base/text/strings.h"
#include "cli/broadcast/broadcast.h"
#include "cli/broadcast/libraries.h"
#include "cli/srun/plan.h"

namespace muster::cli {

namespace {

std::unexpected<Refusal> refused(std::string text) {
  return std::unexpected(Refusal{std::move(text), kExitFailure});
}

}  // namespace

Outcome plan_bcast(SrunPlan& plan) {
  const auto sends_libraries = parse_send_libs(plan.options.send_libs.value_or("no"));
  if (!sends_libraries)
    return std::unexpected(
        Refusal{error_lines(kSrun, "Invalid --send-libs specification"), kExitBadOption});
  if (!plan.options.bcast) return {};
  plan.sends_libraries = *sends_libraries;
  if (plan.options.multi_prog)
    return refused(error_lines(kSrun, "--bcast does not go with --multi-prog"));
  std::string& program = plan.task.argv.front();
  plan.bcast_source = find_program(program);
  if (plan.bcast_source.empty() || access(plan.bcast_source.c_str(), X_OK) != 0)
    return refused(fatal_line(kSrun, fmt::format("Can not execute {}", program)));
  std::string target = *plan.options.bcast;
  // The name is needed before the step has its number.
  if (target.empty() || target.ends_with('/'))
    target += fmt::format("slurm_bcast_{}_{}", getpid(),
                          plan.bcast_source.substr(plan.bcast_source.rfind('/') + 1));
  program = target.starts_with('/') ? target : fmt::format("{}/{}", plan.task.work_dir, target);
  return {};
}

bool send_program(const SrunPlan& plan, JobId job, StepId step) {
  if (plan.bcast_source.empty()) return true;
  auto file = open_source(plan.bcast_source, plan.task.argv.front(), true, true);
  if (!file) {
    print_error(kSrun,
                fmt::format("Can't open `{}`: {}", plan.bcast_source, std::strerror(file.error())));
    return false;
  }
  auto controller = Controller::connect();
  auto nodes = controller
                   ? controller->ask_for<wire::BroadcastReply>(wire::BroadcastRequest{job, step})
                   : std::unexpected(controller.error());
  BroadcastOptions options;
  options.compress = plan.options.compress && !iequals(*plan.options.compress, "none");
  bool sent = false;
  if (nodes) sent = broadcast(kSrun, controller->config(), *nodes, *file, options) == 0;
  if (sent && plan.sends_libraries) {
    LibraryOptions libraries;
    if (!plan.options.bcast_exclude.empty()) libraries.exclude = plan.options.bcast_exclude.str();
    sent = broadcast_libraries(kSrun, controller->config(), *nodes, plan.bcast_source,
                               plan.task.argv.front(), libraries, options) == 0;
  }
  if (nodes && !sent)
    print(Refusal{fatal_line(
        kSrun, fmt::format("Failed to broadcast '{}'. Step launch aborted.", plan.bcast_source))});
  if (!nodes)
    print_error(kSrun, fmt::format("Failed to broadcast '{}': {}", plan.bcast_source,
                                   nodes.error().text()));
  close(file->fd);
  return sent;
}

}  // namespace muster::cli
