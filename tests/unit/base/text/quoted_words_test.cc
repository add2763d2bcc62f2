// Splitting typed lines into words.
#include "base/text/quoted_words.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Words = std::vector<std::string>;

Words plain(std::string_view line) { return quoted_words(line, Backslash::is_text); }
Words escaped(std::string_view line) { return quoted_words(line, Backslash::escapes); }

TEST(QuotedWords, StandBetweenBlanks) {
  EXPECT_EQ(plain("  show\tjob 7\r"), (Words{"show", "job", "7"}));
  EXPECT_EQ(plain(" \t"), Words{});
}

TEST(QuotedWords, QuotesKeepBlanksAndTheOtherQuote) {
  EXPECT_EQ(plain(R"(a="b c" 'it "is"' d''e)"), (Words{"a=b c", R"(it "is")", "de"}));
  EXPECT_EQ(plain(R"(x "" y)"), (Words{"x", "", "y"}));
}

TEST(QuotedWords, AnOpenQuoteReachesToTheEnd) {
  EXPECT_EQ(plain("a 'b c"), (Words{"a", "b c"}));
  EXPECT_EQ(plain("'"), Words{""});
}

TEST(QuotedWords, ABackslashIsTextOrEscapes) {
  EXPECT_EQ(plain(R"(a\ b)"), (Words{R"(a\)", "b"}));
  EXPECT_EQ(escaped(R"(a\ b "c\"d" 'e\f' \)"), (Words{"a b", "c\"d", R"(e\f)", R"(\)"}));
}

}  // namespace
}  // namespace muster
