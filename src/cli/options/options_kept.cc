// Options that are only kept with the job and shown, and options that are refused.
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/options/options_values.h"
#include "io/files.h"

namespace muster::cli {

namespace {

Outcome two_burst_buffers(const JobOptions& o) {
  return refused(o, "Cannot specify both --burst-buffer and --bbf", kExitFailure);
}

}  // namespace

// There are no burst buffers: the text is only shown.
Outcome burst_buffer(JobOptions& o, const OptionRow&, std::string_view value) {
  if (o.is_given("bbf")) return two_burst_buffers(o);
  o.spec.burst_buffer = Text(value);
  return {};
}

Outcome burst_buffer_file(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (o.is_given("bb")) return two_burst_buffers(o);
  auto text = io::read_file(std::string(value));
  if (!text) return refused(o, fmt::format("Invalid --{} specification", row.name), kExitFailure);
  // Slurm adds the file to a batch script, where only a plugin would use it.
  if (o.client != Client::sbatch) o.spec.burst_buffer = Text(trim(*text));
  return {};
}

// No container runtime is configured: the job runs without one, as in Slurm.
Outcome container(JobOptions& o, const OptionRow&, std::string_view value) {
  o.spec.container = Text(value);
  return {};
}

Outcome x11(JobOptions& o, const OptionRow&, std::string_view) {
  if (const char* display = std::getenv("DISPLAY"); !display || !*display)
    return refused(o, "No DISPLAY variable set, cannot setup x11 forwarding.", kExitBadOption);
  return refused(o, "X11 forwarding not available", kExitFailure);
}

// Without a number no ports are reserved, as in Slurm.
Outcome resv_ports(JobOptions& o, const OptionRow&, std::string_view value) {
  auto count = value.empty() ? std::optional(0u) : parse_whole(value, 0);
  if (!count)
    return refused(o, fmt::format("Invalid numeric value \"{}\" for --resv-port.", value),
                   kExitFailure);
  o.reserved_ports = count;
  return {};
}

}  // namespace muster::cli
