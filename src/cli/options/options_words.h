// The words of a command line, split into options and arguments by getopt's rules (GNU long options
// with unambiguous abbreviations, bundled letters, "--"), with getopt's messages. getopt itself
// uses global state and prints by itself, which #SBATCH lines and tests cannot use.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

enum class Argument : std::uint8_t {
  none,
  required,
  optional,       // "--x=value", "-xvalue"
  optional_word,  // also the next word, unless it is an option
};

struct WordOption {
  std::string_view name;
  char letter = 0;
  Argument argument = Argument::none;
  bool is_own = false;  // Muster's: it takes no abbreviation away from Slurm's options
};

struct GivenOption {
  std::size_t option = 0;  // index into `known`
  std::string value;       // empty if none was given
};

struct SplitWords {
  std::vector<GivenOption> options;
  std::vector<std::string> rest;
  bool ended_by_dashes = false;
};

// The value of -j "" for an optional_word, which distinguishes it from -j without a value.
inline constexpr std::string_view kEmptyList = ",";

enum class Operands : std::uint8_t {
  end_options,  // the first word that is no option begins the command (sbatch, srun)
  anywhere,     // options may follow arguments (scancel 12 --signal TERM)
};

// The error is getopt's message without the program's name: "unrecognized option '--nosuch'".
std::expected<SplitWords, std::string> split_options(std::span<const WordOption> known,
                                                     std::span<const std::string> words,
                                                     Operands operands);

}  // namespace muster::cli
