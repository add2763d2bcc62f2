#include "cli/lib/usage.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/lib/option_table.h"

namespace muster::cli {

namespace {

std::string_view operands(Client client) {
  switch (client) {
    case Client::sbatch:
      return "[script [args...]]";
    case Client::srun:
      return "program [args...]";
    case Client::salloc:
      return "[command [args...]]";
  }
  return "";
}

}  // namespace

std::string version_text() { return "slurm 22.05.8 (Muster " MUSTER_VERSION ")\n"; }

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
  if (argument == Argument::none) return fmt::format("[--{}]", name);
  if (argument == Argument::required) return fmt::format("[--{}={}]", name, value_name);
  return fmt::format("[--{}[={}]]", name, value_name);
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
  std::string out =
      fmt::format("Usage: {} [options] {}\n\nOptions:\n", client_name(client), operands(client));
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(client) || row.help.empty()) continue;
    std::string help(row.help);
    if (std::string_view variables = row.input_variables(client); !variables.empty())
      help += fmt::format(" [{}]", replace_all(variables, " ", ", "));
    out +=
        help_line(row.letter, row.name, row.value_name, row.argument == Argument::optional, help);
  }
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
