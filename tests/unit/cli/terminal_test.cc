// How texts of other users are filtered for a terminal.
#include "cli/lib/terminal.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(TerminalText, LeavesTextAsItIs) {
  TerminalText text;
  EXPECT_EQ(text.plain("JOBID\tname\n"), "JOBID\tname\n");
  EXPECT_EQ(text.plain("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xb5"),
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xb5");
}

TEST(TerminalText, ReplacesControlCharacters) {
  TerminalText text;
  EXPECT_EQ(text.plain("a\x1b]0;owned\x07z\r\x7f"), "a?]0;owned?z??");
  EXPECT_EQ(text.plain("\xc2\x9b"
                       "2J"),
            "?2J")
      << "CSI as a character";
  EXPECT_EQ(text.plain("\x9b"
                       "2J"),
            "?2J")
      << "CSI as a byte";
}

TEST(TerminalText, JoinsCharactersThatWereCut) {
  TerminalText text;
  EXPECT_EQ(text.plain("\xe2\x82") + text.plain("\xac"), "\xe2\x82\xac");
  EXPECT_EQ(text.plain("\xc2") + text.plain("\x9b"), "?");
  EXPECT_EQ(text.plain("\xc2") + text.plain("\xb5"), "\xc2\xb5");
  EXPECT_EQ(text.plain("\xc2") + text.plain("A\x1b"),
            "\xc2"
            "A?");
}

}  // namespace
}  // namespace muster::cli
