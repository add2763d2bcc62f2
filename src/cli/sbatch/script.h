// The batch script as sbatch takes it: from a file, from stdin, or made of --wrap.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cli/lib/errors.h"

namespace muster::cli {

inline constexpr std::string_view kSbatch = "sbatch";

inline constexpr std::size_t kMaxScriptBytes = 48u << 20;  // the controller may want less

struct BatchScript {
  std::string text;
  std::string path;     // as the job's Command shows it; empty for stdin and --wrap
  std::string warning;  // for the user, once submission is under way
};

// A name without a slash is looked for in the working directory, then along PATH.
std::string find_script(std::string_view name);

std::expected<BatchScript, Refusal> read_script(std::string_view name);
std::expected<BatchScript, Refusal> read_script_from_stdin();
BatchScript wrapped_script(std::string_view command);

// Refuses what cannot be a script; gives one that opens with #SBATCH lines its missing first line.
std::expected<BatchScript, Refusal> check_script(BatchScript script);

}  // namespace muster::cli
