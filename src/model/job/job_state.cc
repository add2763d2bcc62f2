// Names and codes of states.
#include "model/job/job_state.h"

#include <array>

#include "base/text/strings.h"

namespace muster {

namespace {

struct Names {
  std::string_view name, code;
};
// Indexed by JobState.
constexpr std::array<Names, 12> kNames{{
    {"PENDING", "PD"},
    {"RUNNING", "R"},
    {"SUSPENDED", "S"},
    {"COMPLETED", "CD"},
    {"CANCELLED", "CA"},
    {"FAILED", "F"},
    {"TIMEOUT", "TO"},
    {"NODE_FAIL", "NF"},
    {"PREEMPTED", "PR"},
    {"BOOT_FAIL", "BF"},
    {"DEADLINE", "DL"},
    {"OUT_OF_MEMORY", "OOM"},
}};

}  // namespace

std::string_view state_name(JobState s) { return kNames[static_cast<std::size_t>(s)].name; }

std::string_view state_code(JobState s) { return kNames[static_cast<std::size_t>(s)].code; }

std::optional<JobState> parse_job_state(std::string_view name_or_code) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (iequals(name_or_code, kNames[i].name) || iequals(name_or_code, kNames[i].code))
      return static_cast<JobState>(i);
  return std::nullopt;
}

std::string_view end_reason(JobState state, std::uint32_t status) {
  switch (state) {
    case JobState::timeout:
      return "TimeLimit";
    case JobState::out_of_memory:
      return "OutOfMemory";
    case JobState::deadline:
      return "DeadLine";
    case JobState::node_fail:
      return "NodeDown";
    case JobState::failed:
      return (status & 0x7f) ? "JobLaunchFailure" : "NonZeroExitCode";  // a signal, 53 for no start
    default:
      return "None";
  }
}

}  // namespace muster
