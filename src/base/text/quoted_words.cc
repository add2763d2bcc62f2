// Splits a line into words, one character at a time.
#include "base/text/quoted_words.h"

#include <utility>

namespace muster {

std::vector<std::string> quoted_words(std::string_view line, Backslash backslash) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    const bool escapes = c == '\\' && backslash == Backslash::escapes && quote != '\'';
    const bool opens = quote == 0 && (c == '"' || c == '\'');
    const bool is_blank = quote == 0 && (c == ' ' || c == '\t' || c == '\r');
    if (is_blank) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
      continue;
    }
    in_word = true;
    if (escapes && i + 1 < line.size()) {
      word += line[++i];
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (opens) {
      quote = c;
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace muster
