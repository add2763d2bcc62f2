// Formats, widths, dates and sorting, which all listing commands share.
#include "cli/tables/columns.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace muster::cli {
namespace {

struct Fruit {
  std::string name;
  std::int64_t weight = 0;
};
constexpr Column<Fruit> kFruits[] = {
    {'n', "Name", "NAME", [](const Fruit& f, std::string& o) { o += f.name; }},
    {'w', "Weight", "WEIGHT", [](const Fruit& f, std::string& o) { o += std::to_string(f.weight); },
     [](const Fruit& f) { return f.weight == 0 ? kUnsetKey : f.weight; }},
    {0, "Long", "LONG", [](const Fruit& f, std::string& o) { o += f.name + f.name; }, nullptr,
     true},
};
constexpr std::span<const Column<Fruit>> kTable = kFruits;

std::string print(const Format<Fruit>& format, const Fruit& fruit) {
  std::string out, scratch;
  append_header(format, out);
  append_row(format, fruit, scratch, out);
  return out;
}
std::string letters(std::string_view text, const Fruit& fruit = {"apple", 7}) {
  return print(letter_format(kTable, text), fruit);
}
std::string named(std::string_view text, const Fruit& fruit = {"apple", 7}) {
  return print(name_format(kTable, text), fruit);
}
std::string sorted(std::string_view keys, std::vector<Fruit> fruits) {
  sort_rows(fruits, *sort_keys(kTable, keys));
  std::string out;
  for (const Fruit& fruit : fruits) out += fruit.name;
  return out;
}

TEST(LetterFormat, PutsTextAroundAndBetweenFields) {
  EXPECT_EQ(letters("[%n|%w]"), "[NAME|WEIGHT]\n[apple|7]\n");
}

TEST(LetterFormat, AlignsRightAfterADotAndCutsWhatIsTooLong) {
  EXPECT_EQ(letters("%.8n|%8n|%3n|%.3w"), "    NAME|NAME    |NAM|WEI\n   apple|apple   |app|  7\n");
}

TEST(LetterFormat, KeepsWhatItDoesNotKnow) {
  Format<Fruit> format = letter_format(kTable, "%-8n|%w");
  EXPECT_EQ(print(format, {"apple", 7}), "%-8n|WEIGHT\n%-8n|7\n");
  EXPECT_EQ(format.unknown, std::vector<std::string>{"-"});
}

TEST(LetterFormat, TakesTwoPercentSignsForOne) { EXPECT_EQ(letters("%%|%w"), "%|WEIGHT\n%|7\n"); }

TEST(LetterFormat, PrintsAllFieldsBetweenBars) {
  EXPECT_EQ(letters("%all"), "NAME|WEIGHT\napple|7\n");
}

TEST(NameFormat, IsTwentyWideUnlessToldOtherwise) {
  EXPECT_EQ(named("name,weight:5"), "NAME                WEIGH\napple               7    \n");
}

TEST(NameFormat, TakesTheTextAfterTheWidthForASuffix) {
  EXPECT_EQ(named("NAME:.6xx,Weight:--"), "  NAMExxWEIGHT--\n applexx7--\n");
  EXPECT_EQ(named("Name:###turm###,weight:###turm###"),
            "NAME###turm###WEIGHT###turm###\napple###turm###7###turm###\n");
}

TEST(NameFormat, PrintsOnlyTheSuffixOfAnUnknownName) {
  Format<Fruit> format = name_format(kTable, "bogus:],name:");
  EXPECT_EQ(print(format, {"apple", 7}), "]NAME\n]apple\n");
  EXPECT_EQ(format.unknown, std::vector<std::string>{"bogus"});
}

TEST(NameFormat, NeverCutsColumnsThatAreWhole) { EXPECT_EQ(named("long:3"), "LON\nappleapple\n"); }

TEST(Sorting, FollowsTheKeysInTurn) {
  std::vector<Fruit> fruits = {{"b", 1}, {"a", 2}, {"c", 1}};
  EXPECT_EQ(sorted("n", fruits), "abc");
  EXPECT_EQ(sorted("-n", fruits), "cba");
  EXPECT_EQ(sorted("w,-n", fruits), "cba");
  EXPECT_EQ(sorted("-w,n", fruits), "abc");
}

TEST(Sorting, PutsUnsetKeysLastInBothDirections) {
  std::vector<Fruit> fruits = {{"x", 0}, {"a", 2}, {"b", 1}};
  EXPECT_EQ(sorted("w", fruits), "bax");
  EXPECT_EQ(sorted("-w", fruits), "abx");
}

TEST(Sorting, NamesTheLetterItDoesNotKnow) {
  auto keys = sort_keys(kTable, "n,q");
  ASSERT_FALSE(keys);
  EXPECT_EQ(keys.error(), 'q');
}

TEST(Times, PrintInTheStyleOfTheEnvironment) {
  setenv("TZ", "UTC", 1);
  tzset();
  Time t = from_unix_seconds(1'000'000'000);  // 2001-09-09T01:46:40
  auto text = [&](std::string_view setting, Time now) {
    std::string out;
    TimeStyle(setting, now).append(t, "N/A", out);
    return out;
  };
  EXPECT_EQ(text("", t), "2001-09-09T01:46:40");
  EXPECT_EQ(text("standard", t), "2001-09-09T01:46:40");
  EXPECT_EQ(text("relative", t), "01:46:40");
  EXPECT_EQ(text("relative", t - std::chrono::days{1}), "Tomorr 01:46");
  EXPECT_EQ(text("relative", t + std::chrono::days{1}), "Ystday 01:46");
  EXPECT_EQ(text("relative", t + std::chrono::days{365}), "9 Sep 2001");
  EXPECT_EQ(text("%a %T", t), "Sun 01:46:40");
  EXPECT_FALSE(TimeStyle("bogus", t).valid());
  EXPECT_EQ(date_line(t), "Sun Sep  9 01:46:40 2001\n");
}

}  // namespace
}  // namespace muster::cli
