// Reads the file of srun --multi-prog, which says which ranks run which program.
#include "cli/srun/multi_prog.h"

#include <optional>

#include <fmt/format.h>

#include "base/text/quoted_words.h"
#include "base/text/strings.h"

namespace muster::cli {

namespace {

std::string expand(std::string_view word, std::uint32_t rank, std::uint32_t offset) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    char next = i + 1 < word.size() ? word[i + 1] : '\0';
    if (word[i] == '%' && next == 't') {
      out += std::to_string(rank);
      ++i;
    } else if (word[i] == '%' && next == 'o') {
      out += std::to_string(offset);
      ++i;
    } else {
      out += word[i];
    }
  }
  return out;
}

struct RankRange {
  std::uint32_t first, last;
};
std::optional<RankRange> parse_range(std::string_view text) {
  auto dash = text.find('-');
  auto first = parse_number<std::uint32_t>(text.substr(0, dash));
  auto last = dash == text.npos ? first : parse_number<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return RankRange{*first, *last};
}

class MultiProgParser {
 public:
  explicit MultiProgParser(std::uint32_t num_tasks) : num_tasks_(num_tasks) {}

  // An error message; nothing if the line is fine. An empty message adds nothing to the general
  // one.
  std::optional<std::string> add_line(std::string_view line) {
    auto words = quoted_words(line, Backslash::escapes);
    if (words.empty()) return std::nullopt;
    if (words.size() < 2) return "";
    std::string ranks = std::move(words.front());
    words.erase(words.begin());
    if (ranks == "*") {
      for (std::uint32_t rank = 0; rank < num_tasks_; ++rank)
        if (!programs_.contains(rank)) put(rank, rank, words);
      return std::nullopt;
    }
    std::uint32_t offset = 0;
    for (std::string_view part : split(ranks, ',')) {
      auto range = parse_range(part);
      if (!range) return fmt::format("Invalid task range specification ({})", ranks);
      if (range->first > range->last) return fmt::format("Invalid task range, {}", part);
      if (range->last >= num_tasks_)
        return fmt::format("Invalid task id, {} >= ntasks", range->last);
      for (std::uint32_t rank = range->first; rank <= range->last; ++rank, ++offset) {
        if (programs_.contains(rank)) return fmt::format("Duplicate record for task {}", rank);
        put(rank, offset, words);
      }
    }
    return std::nullopt;
  }

  ProgramByRank take() { return std::move(programs_); }

 private:
  void put(std::uint32_t rank, std::uint32_t offset, const std::vector<std::string>& words) {
    auto& argv = programs_[rank];
    for (const std::string& word : words) argv.push_back(expand(word, rank, offset));
  }

  std::uint32_t num_tasks_;
  ProgramByRank programs_;
};

}  // namespace

std::expected<ProgramByRank, std::string> parse_multi_prog(std::string_view text,
                                                           std::string_view file,
                                                           std::uint32_t num_tasks) {
  MultiProgParser parser(num_tasks);
  std::string line;
  std::size_t number = 0, first_number = 0;
  for (std::string_view physical : split(text, '\n')) {
    ++number;
    if (line.empty()) first_number = number;
    bool goes_on = physical.ends_with('\\');
    line += goes_on ? physical.substr(0, physical.size() - 1) : physical;
    if (goes_on) continue;
    std::string_view content = trim(line);
    if (!content.starts_with('#'))
      if (auto wrong = parser.add_line(content)) {
        std::string where =
            fmt::format("Line {} of configuration file {} invalid", first_number, file);
        return std::unexpected(wrong->empty() ? where : *wrong + "\n" + where);
      }
    line.clear();
  }
  ProgramByRank programs = parser.take();
  for (std::uint32_t rank = 0; rank < num_tasks; ++rank)
    if (!programs.contains(rank))
      return std::unexpected(
          fmt::format("Configuration file {} invalid, no record for task id {}", file, rank));
  return programs;
}

}  // namespace muster::cli
