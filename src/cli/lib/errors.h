// Error messages of commands, and their exit codes.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

// How a command ends: what it prints (whole lines with newlines), and its exit code.
struct Refusal {
  std::string text;
  int exit_code = 1;
  bool operator==(const Refusal&) const = default;
};

using Outcome = std::expected<void, Refusal>;

inline constexpr int kExitFailure = 1;
inline constexpr int kExitBadOption =
    255;  // for bad values and unknown options of sbatch, srun, salloc

// "sbatch: error: TEXT\n"; each line of a longer text gets the prefix.
std::string error_lines(std::string_view program, std::string_view text);
std::string fatal_line(std::string_view program, std::string_view text);

void print_error(std::string_view program, std::string_view text);

// The line to print before the text of a refused job's error code, as Slurm does; may be empty.
std::string line_before(const Error& error);
// Whether hints are wanted: on a terminal or with -v. Programs expect Slurm's text alone.
bool is_for_people(bool verbose = false);
void print_info(std::string_view program, std::string_view text);  // "sbatch: TEXT"
int print(const Refusal& refusal);                                 // returns its exit code

// The exit code of failures that are not about options: SLURM_EXIT_ERROR if set, else 1.
int failure_code();
// The exit code if --immediate did not get its nodes in time: SLURM_EXIT_IMMEDIATE, else
// failure_code().
int immediate_failure_code();

}  // namespace muster::cli
