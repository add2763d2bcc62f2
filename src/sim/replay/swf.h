// Traces of jobs in the Standard Workload Format: one job per line, eighteen numbers, comments
// after a semicolon.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::sim {

struct TraceJob {
  std::uint32_t id = 0;
  Seconds submitted{};  // since the beginning of the trace
  Seconds runs{};       // at most its limit
  Seconds limit{};
  std::uint32_t cpus = 1;
  std::uint32_t user = 0;
};

// In the order of submission. Jobs that never ran (no run time, or no processors) are left out; the
// error for a malformed line names the line.
Result<std::vector<TraceJob>> parse_swf(std::string_view text);

struct TraceOptions {
  std::uint32_t jobs = 1000;
  std::uint64_t seed = 1;
  std::uint32_t cpus = 1024;  // of the machine, and of its largest jobs
  double load = 0.9;          // the part of the machine that the jobs would keep busy
};

// A made-up trace, the same everywhere for the same options: sizes mostly powers of two, run times
// over several orders of magnitude, more arrivals by day than by night, and round limits that are
// too high.
std::string generate_swf(const TraceOptions& options);

}  // namespace muster::sim
