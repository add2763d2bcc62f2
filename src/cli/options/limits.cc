// Reads the caller's resource limits that a job inherits (--propagate).
#include "cli/options/limits.h"

#include <sys/resource.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

struct Limit {
  std::string_view name;
  __rlimit_resource resource;
};
constexpr Limit kLimits[] = {
    {"CPU", RLIMIT_CPU},     {"FSIZE", RLIMIT_FSIZE},   {"DATA", RLIMIT_DATA},
    {"STACK", RLIMIT_STACK}, {"CORE", RLIMIT_CORE},     {"RSS", RLIMIT_RSS},
    {"NPROC", RLIMIT_NPROC}, {"NOFILE", RLIMIT_NOFILE}, {"MEMLOCK", RLIMIT_MEMLOCK},
    {"AS", RLIMIT_AS},
};

bool names(std::string_view list, std::string_view limit) {
  return std::ranges::any_of(split(list, ','), [&](std::string_view name) {
    return iequals(name, limit) || iequals(name, "ALL");
  });
}

bool is_wanted(std::string_view limit, const JobOptions& options, const ClientConfig& config) {
  if (options.is_given("propagate")) {
    const Text& asked = options.spec.propagate;
    return asked.empty() || names(asked, limit);
  }
  if (!config.propagate_limits_except.empty()) return !names(config.propagate_limits_except, limit);
  return names(config.propagate_limits, limit);
}

}  // namespace

std::optional<std::string_view> unknown_limit(std::string_view list) {
  for (std::string_view name : split(list, ',')) {
    bool known = iequals(name, "ALL") || iequals(name, "NONE");
    for (const Limit& limit : kLimits) known |= iequals(name, limit.name);
    if (!known) return name;
  }
  return std::nullopt;
}

void add_limit_variables(JobEnvironment& environment, const JobOptions& options,
                         const ClientConfig& config) {
  for (const auto& [name, resource] : kLimits) {
    rlimit current{};
    if (!is_wanted(name, options, config) || getrlimit(resource, &current) != 0) continue;
    environment.set_number(fmt::format("SLURM_RLIMIT_{}", name), current.rlim_cur);
  }
}

}  // namespace muster::cli
