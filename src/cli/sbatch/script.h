// The batch script of sbatch: from a file, from stdin, or made from --wrap.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cli/lib/errors.h"

namespace muster::cli {

inline constexpr std::string_view kSbatch = "sbatch";

inline constexpr std::size_t kMaxScriptBytes = 48u << 20;  // the controller may have a lower limit

struct BatchScript {
  std::string text;
  std::string path;     // shown as the job's Command; empty for stdin and --wrap
  std::string warning;  // printed once submission is under way
};

// A name without a slash is searched in the working directory, then along PATH.
std::string find_script(std::string_view name);

std::expected<BatchScript, Refusal> read_script(std::string_view name);
std::expected<BatchScript, Refusal> read_script_from_stdin();
BatchScript wrapped_script(std::string_view command);

// Refuses what cannot be a script. A script that begins with #SBATCH lines gets its missing first
// line.
std::expected<BatchScript, Refusal> check_script(BatchScript script);

// "#!/bin/bash -l": bash forgets the PATH of the one who submitted the job.
bool begins_login_bash(std::string_view script);

}  // namespace muster::cli
