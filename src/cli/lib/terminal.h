// Names that users give their jobs reach other people's terminals, where control characters would
// act: move the cursor, set the title, even type commands. On a terminal they are printed as "?";
// files and pipes get the text unchanged.
#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

// Text in pieces; a character may be cut by the end of one.
class TerminalText {
 public:
  std::string plain(std::string_view piece);

 private:
  bool had_c2_ = false;        // the first half of a control character above 0x7f, or of another
  unsigned continuation_ = 0;  // so many bytes of a character are still to come
};

// From now on stdout is filtered where it is a terminal.
void protect_terminal();

}  // namespace muster::cli
