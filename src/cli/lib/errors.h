// What commands say on stderr and the codes they leave with.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

// The end of a command: what to print (whole lines, newline included) and the exit code.
struct Refusal {
  std::string text;
  int exit_code = 1;
  bool operator==(const Refusal&) const = default;
};

using Outcome = std::expected<void, Refusal>;

inline constexpr int kExitFailure = 1;
inline constexpr int kExitBadOption =
    255;  // option values and unknown options of sbatch, srun, salloc

// "sbatch: error: TEXT\n"; a text of several lines gets the prefix on each.
std::string error_lines(std::string_view program, std::string_view text);
std::string fatal_line(std::string_view program, std::string_view text);

void print_error(std::string_view program, std::string_view text);

// What to print before the text of a refused job's code, as Slurm does; may be empty.
std::string line_before(const Error& error);
// For people: on a terminal, or where they want to hear more. Programs read Slurm's text alone.
void print_advice(std::string_view program, const Error& error, bool verbose);
void print_info(std::string_view program, std::string_view text);  // "sbatch: TEXT"
int print(const Refusal& refusal);                                 // gives its exit code back

// Code of failures that are not about options: SLURM_EXIT_ERROR where set, else 1.
int failure_code();
// Code where --immediate did not get its nodes in time: SLURM_EXIT_IMMEDIATE, else the same.
int immediate_failure_code();

}  // namespace muster::cli
