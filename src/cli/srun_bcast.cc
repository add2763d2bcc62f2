#include "cli/srun_bcast.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "base/strings.h"
#include "cli/broadcast.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "srun";

std::unexpected<Refusal> refused(std::string text) {
  return std::unexpected(Refusal{std::move(text), kExitFailure});
}

}  // namespace

Outcome plan_bcast(SrunPlan& plan) {
  if (!plan.options.bcast) return {};
  if (plan.options.multi_prog)
    return refused(error_lines(kProgram, "--bcast does not go with --multi-prog"));
  std::string& program = plan.argv.front();
  plan.bcast_source = find_program(program);
  if (plan.bcast_source.empty())
    return refused(fatal_line(kProgram, fmt::format("Can not execute {}", program)));
  std::string target = *plan.options.bcast;
  // The name has to be there before the step has its number.
  if (target.empty() || target.ends_with('/'))
    target += fmt::format("slurm_bcast_{}_{}", getpid(),
                          plan.bcast_source.substr(plan.bcast_source.rfind('/') + 1));
  program = target.starts_with('/') ? target : fmt::format("{}/{}", plan.work_dir, target);
  return {};
}

bool send_program(const SrunPlan& plan, JobId job, StepId step) {
  if (plan.bcast_source.empty()) return true;
  auto file = open_source(plan.bcast_source, plan.argv.front(), true, true);
  if (!file) {
    print_error(kProgram,
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
  if (nodes)
    sent = broadcast(kProgram, controller->config(), *nodes, *file, options) == 0;
  else
    print_error(kProgram, fmt::format("Failed to broadcast '{}': {}", plan.bcast_source,
                                      nodes.error().text()));
  close(file->fd);
  return sent;
}

}  // namespace muster::cli
