// Protects terminals from names that other users gave their jobs: control characters could move the
// cursor, set the title, even type commands. On a terminal they are printed as "?"; files and pipes
// get the text unchanged.
#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

// Filters text that comes in pieces; a piece may end within a character.
class TerminalText {
 public:
  std::string plain(std::string_view piece);

 private:
  bool had_c2_ = false;  // the last byte was 0xc2, which begins a control character or another one
  unsigned continuation_ = 0;  // bytes of a character that are still to come
};

// From now on stdout is filtered if it is a terminal.
void protect_terminal();

}  // namespace muster::cli
