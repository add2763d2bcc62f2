// Prompts, reads lines and splits them.
#include "cli/lib/dialogue.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text/quoted_words.h"
#include "cli/lib/read_line.h"

namespace muster::cli {

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
    auto words = quoted_words(*line, Backslash::is_text);
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
