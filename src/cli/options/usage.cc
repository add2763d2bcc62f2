// Prints --help, --usage and --version.
#include "cli/options/usage.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "base/version.h"
#include "cli/options/option_table.h"

namespace muster::cli {

namespace {

std::string_view operands(Client client) {
  switch (client) {
    case Client::sbatch:
    case Client::srun:
      return "executable [args...]";
    case Client::salloc:
      return "[command [args...]]";
  }
  return "";
}

// The headings of --help, in their order.
enum class Section : std::uint8_t { parallel, constraint, consumable, help };
struct SectionText {
  Section section;
  std::string_view heading;
};
constexpr std::array kSections{
    SectionText{Section::parallel, "Parallel run options:"},
    SectionText{Section::constraint, "Constraint options:"},
    SectionText{Section::consumable, "Consumable resources related options:"},
    SectionText{Section::help, "Help options:"},
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

Section section_of(std::string_view name) {
  if (is_one_of(name, {"help", "usage", "version"})) return Section::help;
  if (is_one_of(name, {"exclusive", "mem-per-cpu", "oversubscribe", "reservation"}))
    return Section::consumable;
  if (is_one_of(name, {"cluster-constraint", "constraint", "contiguous", "exclude", "mem",
                       "mincpus", "nodefile", "nodelist", "prefer", "switches", "tmp"}))
    return Section::constraint;
  return Section::parallel;
}

std::string section_text(Client client, Section section) {
  std::string out;
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(client) || row.help.empty() || section_of(row.name) != section) continue;
    std::string help(row.help);
    if (std::string_view variables = row.input_variables(client); !variables.empty())
      help += fmt::format(" [{}]", replace_all(variables, " ", ", "));
    out +=
        help_line(row.letter, row.name, row.value_name, row.argument == Argument::optional, help);
  }
  return out;
}

}  // namespace

std::string version_text() { return std::string(kVersionLine) + "\n"; }

std::string help_line(char letter, std::string_view name, std::string_view value_name,
                      bool value_optional, std::string_view help) {
  constexpr std::size_t kColumn = 40, kWidth = 100;
  std::string line =
      letter ? fmt::format("  -{}, --{}", letter, name) : fmt::format("      --{}", name);
  if (!value_name.empty())
    line += value_optional ? fmt::format("[={}]", value_name) : fmt::format("={}", value_name);
  std::string out;
  if (line.size() >= kColumn) {
    out = line + "\n";
    line.clear();
  }
  line.resize(kColumn, ' ');
  for (std::string_view word : split_words(help)) {
    if (line.size() > kColumn && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.assign(kColumn, ' ');
    }
    if (line.size() > kColumn) line += ' ';
    line += word;
  }
  return out + line + "\n";
}

std::string usage_part(std::string_view name, Argument argument, std::string_view value_name) {
  // No brackets within brackets, because tools split the text at them.
  if (argument == Argument::none || value_name.contains('['))
    return fmt::format("[--{}{}]", name, argument == Argument::none ? "" : "=...");
  return fmt::format("[--{}={}]", name, value_name);
}

std::string wrapped_usage(std::string_view program, const std::vector<std::string>& parts) {
  constexpr std::size_t kWidth = 80;
  std::string out, line = fmt::format("Usage: {}", program);
  const std::string indent(line.size(), ' ');
  for (const std::string& part : parts) {
    if (line.size() + 1 + part.size() > kWidth && line.size() > indent.size()) {
      out += line + "\n";
      line = indent;
    }
    line += " " + part;
  }
  return out + line + "\n";
}

std::string help_text(Client client) {
  std::string out = fmt::format("Usage: {} [OPTIONS] {}\n", client_name(client), operands(client));
  for (const auto& [section, heading] : kSections)
    out += fmt::format("\n{}\n{}", heading, section_text(client, section));
  return out + "\nNames in brackets are environment variables with the same meaning.\n";
}

std::string usage_text(Client client) {
  std::vector<std::string> parts;
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(client) || row.help.empty()) continue;
    parts.push_back(usage_part(row.name, row.argument, row.value_name));
  }
  parts.emplace_back(operands(client));
  return wrapped_usage(client_name(client), parts);
}

bool answer_help(Client client, const ParsedWords& words) {
  for (const auto& [name, value] : words.options) {
    std::string text;
    if (name == "help") text = help_text(client);
    if (name == "usage") text = usage_text(client);
    if (name == "version") text = version_text();
    if (text.empty()) continue;
    std::fputs(text.c_str(), stdout);
    return true;
  }
  return false;
}

}  // namespace muster::cli
