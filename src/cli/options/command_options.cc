// Reads the options of commands other than sbatch, srun and salloc.
#include "cli/options/command_options.h"

#include <fmt/format.h>

#include "cli/options/nearest.h"
#include "cli/options/usage.h"
#include "cli/tables/colour.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

std::string command_help(const CommandText& command, std::span<const OptionText> options) {
  std::string out = fmt::format("Usage: {} [OPTIONS] {}\n", command.program, command.operands);
  if (!command.purpose.empty()) out += fmt::format("{}\n", command.purpose);
  out += "\nOptions:\n";
  bool has_variables = false;
  for (const OptionText& option : options) {
    if (option.help.empty()) continue;
    std::string help(option.help);
    if (option.variable) help += fmt::format(" [{}]", option.variable);
    has_variables |= option.variable != nullptr;
    out += help_line(option.word.letter, option.word.name, option.value_name,
                     option.word.argument != Argument::required, help);
  }
  if (has_variables)
    out += "\nNames in brackets are environment variables with the same meaning.\n";
  return out;
}

std::string command_usage(const CommandText& command, std::span<const OptionText> options) {
  std::vector<std::string> parts;
  if (command.short_usage) parts.emplace_back("[OPTIONS]");
  for (const OptionText& option : options)
    if (!option.help.empty() && !command.short_usage)
      parts.push_back(usage_part(option.word.name, option.word.argument, option.value_name));
  if (!command.operands.empty()) parts.emplace_back(command.operands);
  return wrapped_usage(command.program, parts);
}

Refusal standard_answer(const CommandText& command, std::span<const OptionText> options,
                        std::string_view name) {
  if (name == "version") return {version_text(), 0};
  return {name == "usage" ? command_usage(command, options) : command_help(command, options), 0};
}

Refusal unknown_option(const CommandText& command, std::string_view getopt_text,
                       std::span<const WordOption> known) {
  std::string text = fmt::format("{}: {}\n", command.program, getopt_text);
  if (is_for_people()) text += hint_line(command.program, nearest_option(getopt_text, known));
  if (command.hints_at_help)
    text += fmt::format("Try \"{} --help\" for more information\n", command.program);
  return {text, kExitFailure};
}

Outcome choose_colours_by(std::string_view program, Value when) {
  if (choose_colours(when)) return {};
  return std::unexpected(Refusal{
      error_lines(program, fmt::format("--color={}: auto, always or never is expected", when))});
}

Outcome put(std::vector<std::string>& to, Value list) {
  to = split_list(list);
  return {};
}

Outcome put(std::vector<Text>& to, Value list) {
  to.clear();
  return add(to, list);
}

Outcome add(std::vector<Text>& to, Value list) {
  for (const std::string& part : split_list(list)) to.emplace_back(part);
  return {};
}

}  // namespace muster::cli
