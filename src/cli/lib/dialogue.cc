// Prompts, reads and splits lines.
#include "cli/lib/dialogue.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/lib/read_line.h"

namespace muster::cli {

std::vector<std::string> split_command(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

void hold_dialogue(std::string_view program,
                   const std::function<bool(const std::vector<std::string>& words)>& run) {
  std::vector<std::string> last;
  const bool terminal = isatty(STDIN_FILENO) != 0;
  for (bool goes_on = true; goes_on;) {
    fmt::print("{}: ", program);
    std::fflush(stdout);
    const auto line = read_line();
    if (!line) {
      fmt::print("\n");
      return;
    }
    if (!terminal) fmt::print("{}\n", *line);  // as a line editor would show it
    auto words = split_command(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (words[0] == "!!")
      words = last;
    else
      last = words;
    if (!words.empty()) goes_on = run(words);
    std::fflush(stdout);
  }
}

}  // namespace muster::cli
