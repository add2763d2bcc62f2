// The words of a command line, split into options and the rest by getopt's rules (GNU long options
// with unambiguous abbreviations, bundled letters, "--"), and with its texts. getopt itself keeps
// global state and prints on its own, which #SBATCH lines and tests cannot use.
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
  optional_word,  // ... or the next word, unless that is an option itself
};

struct WordOption {
  std::string_view name;
  char letter = 0;
  Argument argument = Argument::none;
};

struct GivenOption {
  std::size_t option = 0;  // index into the options known
  std::string value;       // empty where none was given
};

struct SplitWords {
  std::vector<GivenOption> options;
  std::vector<std::string> rest;
  bool ended_by_dashes = false;
};

// What -j "" gives an option with an optional word, so that it is not taken for -j alone.
inline constexpr std::string_view kEmptyList = ",";

enum class Operands : std::uint8_t {
  end_options,  // the first word that is no option starts the command (sbatch, srun)
  anywhere,     // options may follow (scancel 12 --signal TERM)
};

// The error is getopt's text without the program's name: "unrecognized option '--nosuch'".
std::expected<SplitWords, std::string> split_options(std::span<const WordOption> known,
                                                     std::span<const std::string> words,
                                                     Operands operands);

}  // namespace muster::cli
