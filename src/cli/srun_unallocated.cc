#include "cli/srun_unallocated.h"

#include <unistd.h>

#include <random>

#include <fmt/format.h>

#include "base/hostlist.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "srun";

Outcome refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kProgram, text), kExitFailure});
}

}  // namespace

Outcome check_unallocated(JobOptions& options) {
  if (!options.no_allocate) return {};
  const JobSpec& spec = options.spec;
  if (spec.required_nodes.empty())
    return refuse("must specify a node list with -Z, --no-allocate.");
  if (!spec.excluded_nodes.empty())
    return refuse("can not specify --exclude list with -Z, --no-allocate.");
  if (options.relative) return refuse("do not specify -r,--relative with -Z,--no-allocate.");
  options.job_id.reset();  // whatever job srun is called in
  if (options.test_only) return {};
  if (!options.quiet) print_info(kProgram, "do not allocate resources");
  auto names = expand_hostlist(spec.required_nodes);
  if (names && spec.nodes_given && names->size() < spec.min_nodes)
    return refuse(fmt::format("Only allocated {} nodes asked for {}\nJob creation failure.",
                              names->size(), spec.min_nodes));
  return {};
}

wire::StepRequest unallocated_request(wire::StepRequest request) {
  constexpr std::uint32_t kNames = 0xffff, kNumbers = 0x7fffffff;
  request.job = JobId{kFirstUnallocated.value + static_cast<std::uint32_t>(getpid()) % kNames};
  request.unallocated = std::random_device{}() & kNumbers;
  return request;
}

int say_not_launched(const wire::StepRequest& request, const Error& error) {
  const std::string why = error.code == ErrorCode::communication
                              ? "Communication connection failure"
                              : std::string(error_text(error.code));
  for (std::string_view node : split(error.detail, ','))
    print_error(kProgram, fmt::format("Task launch for StepId={}.{} failed on node {}: {}",
                                      request.job.value, *request.unallocated, node, why));
  print_error(kProgram, fmt::format("Application launch failed: {}", why));
  print_info(kProgram, "Job step aborted");
  return static_cast<int>(error.code) & 0xff;
}

}  // namespace muster::cli
