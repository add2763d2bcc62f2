// srun --no-allocate: prepares a step on nodes without an allocation.
#include "cli/srun/unallocated.h"

#include <unistd.h>

#include <random>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/srun/plan.h"

namespace muster::cli {

Outcome check_unallocated(JobOptions& options) {
  if (!options.no_allocate) return {};
  const JobSpec& spec = options.spec;
  if (spec.required_nodes.empty())
    return srun_refuses("must specify a node list with -Z, --no-allocate.");
  if (!spec.excluded_nodes.empty())
    return srun_refuses("can not specify --exclude list with -Z, --no-allocate.");
  if (options.relative) return srun_refuses("do not specify -r,--relative with -Z,--no-allocate.");
  options.job_id.reset();  // it does not matter in which job srun is called
  if (options.test_only) return {};
  if (!options.quiet) print_info(kSrun, "do not allocate resources");
  auto names = expand_hostlist(spec.required_nodes);
  if (names && spec.nodes_given && names->size() < spec.min_nodes)
    return srun_refuses(fmt::format("Only allocated {} nodes asked for {}\nJob creation failure.",
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
    print_error(kSrun, fmt::format("Task launch for StepId={}.{} failed on node {}: {}",
                                   request.job.value, *request.unallocated, node, why));
  print_error(kSrun, fmt::format("Application launch failed: {}", why));
  print_info(kSrun, "Job step aborted");
  return static_cast<int>(error.code) & 0xff;
}

}  // namespace muster::cli
