// quoted_words: the words of a line that somebody typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class Backslash : std::uint8_t { is_text, escapes };

// Words are separated by blanks. Quotes of either kind keep blanks, and an empty pair of quotes is
// an empty word. If a backslash escapes, it does so outside of single quotes. A quote without an
// end extends to the end of the line.
std::vector<std::string> quoted_words(std::string_view line, Backslash backslash);

}  // namespace muster
