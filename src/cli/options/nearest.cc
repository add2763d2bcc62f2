// Compares words by the number of typing errors between them.
#include "cli/options/nearest.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cli {

namespace {

constexpr std::size_t kLongestWord = 64;

std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& errors = table[i][j];
      if (i == 0 || j == 0) {
        errors = i + j;
        continue;
      }
      errors = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                         table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        errors = std::min(errors, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view mistyped, std::span<const std::string> known) {
  if (mistyped.size() > kLongestWord) return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, mistyped.size() / 3) + 1;
  for (const std::string& word : known) {
    if (word.size() > kLongestWord) continue;
    const std::size_t errors = typing_errors(mistyped, word);
    if (errors >= least) continue;
    least = errors;
    nearest = word;
  }
  return nearest;
}

std::string nearest_option(std::string_view getopt_text, std::span<const WordOption> known) {
  constexpr std::string_view kUnknown = "unrecognized option '--";
  if (!getopt_text.starts_with(kUnknown)) return {};
  std::string_view word = getopt_text.substr(kUnknown.size());
  word = word.substr(0, word.find_first_of("='"));
  std::vector<std::string> names;
  for (const WordOption& option : known) names.emplace_back(option.name);
  const std::string nearest = nearest_word(word, names);
  return nearest.empty() ? nearest : fmt::format("did you mean --{}?", nearest);
}

std::string hint_line(std::string_view program, std::string_view hint) {
  return hint.empty() ? std::string() : fmt::format("{}: {}\n", program, hint);
}

}  // namespace muster::cli
