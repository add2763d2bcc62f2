// Options about layout, binding and monitoring of tasks.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/options/limits.h"
#include "cli/options/options_values.h"
#include "model/binding/cpu_bind.h"
#include "model/binding/distribution.h"
#include "model/binding/gpu_bind.h"
#include "model/binding/mem_bind.h"

namespace muster::cli {

Outcome distribution(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (!parse_distribution(value)) {
    auto bad = invalid_specification(o, row);
    if (istarts_with(value, "plane"))
      bad.error().text.insert(
          0, error_lines(client_name(o.client), "Invalid plane size or size not specified"));
    return bad;
  }
  o.spec.distribution = Text(value);
  return {};
}

Outcome propagate(JobOptions& o, const OptionRow&, std::string_view value) {
  if (auto name = value.empty() ? std::nullopt : unknown_limit(value))
    return refused(o,
                   fmt::format("Bad rlimit name: {}\n--propagate={} is not valid.", *name, value),
                   kExitFailure);
  o.spec.propagate = Text(value);
  return {};
}

Outcome acctg_freq(JobOptions& o, const OptionRow& row, std::string_view value) {
  for (std::string_view part : split(value, ',')) {
    auto equals = part.find('=');
    std::string_view type = part.substr(0, equals);
    bool known = false;
    for (std::string_view each : {"task", "energy", "network", "filesystem"})
      known |= iequals(type, each);
    bool has_number = equals != part.npos && parse_number<std::uint32_t>(part.substr(equals + 1));
    bool bare_number = equals == part.npos && parse_number<std::uint32_t>(part);
    if (!(known && has_number) && !bare_number)
      return refused(o, fmt::format("Invalid --{} specification: {}", row.name, value),
                     kExitBadOption);
  }
  o.spec.acctg_freq = Text(value);
  return {};
}

// Nothing writes profiles. Tasks see the option in their environment, as in Slurm.
Outcome profile(JobOptions& o, const OptionRow&, std::string_view value) {
  static constexpr std::array<std::string_view, 6> kTypes{"None", "All",    "Energy",
                                                          "Task", "Lustre", "Network"};
  std::vector<std::string> types;
  for (std::string_view part : split(value, ',')) {
    auto known = std::ranges::find_if(kTypes, [&](auto each) { return iequals(part, each); });
    if (known == kTypes.end())
      return refused(o, fmt::format("invalid --profile={} option", value), kExitBadOption);
    types.emplace_back(*known);
  }
  o.profile = join(types, ",");
  return {};
}

Outcome compress(JobOptions& o, const OptionRow&, std::string_view value) {
  if (value.empty() || iequals(value, "lz4") || iequals(value, "none")) {
    o.compress = std::string(value);
    return {};
  }
  print_error(client_name(o.client),
              fmt::format("Compression type '{}' unknown, disabling compression support.", value));
  o.compress = "none";
  return {};
}

// g: GPUs close to the task's CPUs. n: network cards; accepted, but there are none to choose from.
Outcome accel_bind(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (value.empty() || value.find_first_not_of("gmnv") != value.npos)
    return invalid_specification(o, row);
  if (value.contains('g') && o.task.gpu_bind.empty()) o.task.gpu_bind = "closest";
  return {};
}

Outcome delay_boot(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto span = parse_duration(value);
  if (!span || span->count() < 0 || span->count() > std::numeric_limits<std::int32_t>::max())
    return invalid_specification(o, row);
  o.spec.delay_boot_s = static_cast<std::uint32_t>(span->count());
  return {};
}

Outcome cpu_bind(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help"))
    return std::unexpected(
        Refusal{"--cpu-bind=[verbose,|quiet,]HOW binds each task to CPUs of the step:\n"
                "  none                        not at all\n"
                "  rank                        to one CPU, by the task's number on the node\n"
                "  threads, cores, sockets, ldoms   to so many whole ones as it has CPUs\n"
                "  one_thread[,HOW]            of each core to one thread\n"
                "  map_cpu:N,...               to these CPUs, task by task\n"
                "  mask_cpu:MASK,...           to these sets of CPUs, task by task\n",
                0});
  auto bind = parse_cpu_bind(value);
  if (!bind)
    return std::unexpected(
        Refusal{error_lines(client_name(o.client), bind.error().text()) +
                    fatal_line(client_name(o.client), "Failed to parse --cpu-bind= values."),
                kExitFailure});
  o.task.cpu_bind = Text(value);
  return {};
}

Outcome gpu_bind(JobOptions& o, const OptionRow&, std::string_view value) {
  auto bind = parse_gpu_bind(value);
  if (!bind) return refused(o, bind.error().text(), kExitBadOption);
  o.task.gpu_bind = o.spec.gpu_bind = Text(value);
  return {};
}

Outcome mem_bind(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help"))
    return std::unexpected(Refusal{
        "--mem-bind=[verbose,|quiet,][prefer,]HOW binds the memory of each task to NUMA nodes:\n"
        "  none                        not at all\n"
        "  local                       to those of the CPUs it runs on\n"
        "  rank                        by the task's number on the node\n"
        "  map_mem:N,...               to these, task by task\n"
        "  mask_mem:MASK,...           to these sets, task by task\n",
        0});
  auto bind = parse_mem_bind(value);
  if (!bind) return refused(o, bind.error().text(), kExitBadOption);
  o.task.mem_bind = Text(value);
  return {};
}

}  // namespace muster::cli
