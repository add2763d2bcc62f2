// Reads the #SBATCH lines of a script.
#include "cli/options/directives.h"

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/options/nearest.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sbatch";
constexpr std::string_view kPrefix = "#SBATCH";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::unexpected<Refusal> invalid_directive(std::string_view word) {
  return std::unexpected(Refusal{
      error_lines(kProgram, fmt::format("Invalid directive found in batch script: {}", word)),
      kExitBadOption});
}

}  // namespace

std::expected<std::vector<std::string>, Refusal> split_directive(std::string_view line,
                                                                 std::string_view where) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  auto end_word = [&] {
    if (in_word) words.push_back(std::move(word));
    word.clear();
    in_word = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    bool last = i + 1 == line.size();
    if (c == '\\') {
      if (!last && (quote != 0 || !is_blank(line[i + 1]))) word += line[++i];
      in_word = in_word || !last;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '#') {
      break;
    } else if (is_blank(c)) {
      end_word();
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0)
    return std::unexpected(Refusal{
        fatal_line(kProgram, fmt::format("{}: Unmatched `{}` in [{}]", where, quote, trim(line))),
        kExitFailure});
  end_word();
  return words;
}

std::expected<Directives, Refusal> read_directives(std::string_view script, std::string_view path) {
  Directives directives;
  std::size_t number = 0;
  for (std::string_view line : split(script, '\n')) {
    ++number;
    std::string_view text = trim(line);
    if (text.empty()) continue;
    if (text[0] != '#') break;
    directives.has_foreign_lines |= line.starts_with("#PBS") || line.starts_with("#BSUB");
    if (!line.starts_with(kPrefix)) continue;
    auto some =
        split_directive(line.substr(kPrefix.size()), fmt::format("{}: line {}", path, number));
    if (!some) return std::unexpected(some.error());
    if (!some->empty() && (some->front() == "hetjob" || some->front() == "packjob")) {
      directives.components.emplace_back();
      continue;
    }
    // Line by line, because an option's value is never on the next line.
    const std::string place = fmt::format("{}:{}: {}", path, number, text);
    auto parsed = parse_words(Client::sbatch, *some);
    if (parsed && !parsed->rest.empty()) parsed = invalid_directive(parsed->rest.front());
    if (!parsed && is_for_people()) parsed.error().text += hint_line(kProgram, place);
    if (!parsed) return std::unexpected(parsed.error());
    ParsedWords& component = directives.components.back();
    for (auto& option : parsed->options) {
      component.options.push_back(std::move(option));
      component.places.push_back(place);
    }
  }
  return directives;
}

}  // namespace muster::cli
