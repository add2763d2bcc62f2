// Options of a command that has its own table (squeue, sinfo, sacct, scancel). The rows of the
// table give its command line, its input variables, --help and --usage.
#pragma once

#include <cstdlib>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/text.h"
#include "cli/lib/errors.h"
#include "cli/options/options_words.h"

namespace muster::cli {

using Value = std::string_view;

// What --help and --usage say about an option.
struct OptionText {
  WordOption word;
  std::string_view value_name;
  std::string_view help;           // empty = another spelling, not listed
  const char* variable = nullptr;  // an input variable with the same meaning
};

template <class Options>
struct CommandOption : OptionText {
  Outcome (*set)(Options& options, Value value) = nullptr;  // none: --help, --usage, --version
};

struct CommandText {
  std::string_view program;
  std::string_view purpose;   // the line below "Usage:"; may be empty
  std::string_view operands;  // "[job_id...]"
  bool hints_at_help = true;  // printed after an unknown option
  bool short_usage = false;   // --usage does not list options
};

std::string command_help(const CommandText& command, std::span<const OptionText> options);
std::string command_usage(const CommandText& command, std::span<const OptionText> options);
// What --help, --usage or --version print; the command then ends.
Refusal standard_answer(const CommandText& command, std::span<const OptionText> options,
                        std::string_view name);
Refusal unknown_option(const CommandText& command, std::string_view getopt_text,
                       std::span<const WordOption> known);

// Reads variables first, so that the command line overrides them. Returns the words that are not
// options.
template <class Options>
std::expected<std::vector<std::string>, Refusal> read_options(
    const CommandText& command, std::span<const CommandOption<Options>> table,
    std::span<const std::string> words, Options& options) {
  for (const CommandOption<Options>& row : table) {
    const char* value = row.variable ? std::getenv(row.variable) : nullptr;
    if (!value || !*value) continue;
    if (auto done = row.set(options, value); !done) return std::unexpected(done.error());
  }
  std::vector<WordOption> known;
  for (const CommandOption<Options>& row : table) known.push_back(row.word);
  auto split = split_options(known, words, Operands::anywhere);
  if (!split) return std::unexpected(unknown_option(command, split.error(), known));
  for (const GivenOption& given : split->options) {
    const CommandOption<Options>& row = table[given.option];
    if (!row.set) {
      std::vector<OptionText> texts(table.begin(), table.end());
      return std::unexpected(standard_answer(command, texts, row.word.name));
    }
    if (auto done = row.set(options, given.value); !done) return std::unexpected(done.error());
  }
  return std::move(split->rest);
}

template <class Options>
std::string usage_of(const CommandText& command, std::span<const CommandOption<Options>> table) {
  return command_usage(command, std::vector<OptionText>(table.begin(), table.end()));
}

// --- setters that many options share ---

inline Outcome put(std::string& to, Value value) {
  to = value;
  return {};
}
Outcome put(std::vector<std::string>& to, Value list);  // "a,b"
Outcome put(std::vector<Text>& to, Value list);
Outcome add(std::vector<Text>& to, Value list);

template <auto Member, bool On = true, class Options>
Outcome flag(Options& options, Value) {
  options.*Member = On;
  return {};
}
template <auto Member, class Options>
Outcome keep(Options& options, Value value) {
  return put(options.*Member, value);
}
template <auto Member, class Options>
Outcome count(Options& options, Value) {
  ++(options.*Member);
  return {};
}
// --color
Outcome choose_colours_by(std::string_view program, Value when);

template <class Options>
Outcome accepted(Options&, Value) {  // the option makes no difference here
  return {};
}

inline constexpr Argument none = Argument::none, required = Argument::required;

}  // namespace muster::cli
