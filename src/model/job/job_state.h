// JobState: the states of jobs and steps, with Slurm's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster {

enum class JobState : std::uint8_t {
  pending = 0,
  running,
  suspended,
  completed,
  cancelled,
  failed,
  timeout,
  node_fail,
  preempted,
  boot_fail,
  deadline,
  out_of_memory,
};
constexpr JobState last_of(JobState) { return JobState::out_of_memory; }

constexpr bool is_ended(JobState s) { return s >= JobState::completed; }
constexpr bool is_active(JobState s) { return s == JobState::running || s == JobState::suspended; }

std::string_view state_name(JobState s);  // "RUNNING"
std::string_view state_code(JobState s);  // "R"

// Parses a state that users name. In the model COMPLETING is a flag besides the state; REQUEUED,
// RESIZING and so on only occur in filters and accounting.
std::optional<JobState> parse_job_state(std::string_view name_or_code);

// The reason shown for a job that ended in this state.
std::string_view end_reason(JobState state, std::uint32_t wait_status);

}  // namespace muster
