// Formats, widths, dates and sorting, shared by all listing commands.
#include "cli/tables/fields.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/tables/json.h"

namespace muster::cli {
namespace {

struct Fruit {
  struct Mark {};
  std::string name;
  std::int64_t weight = 0;

  Form form() const { return {}; }
};
constexpr Field<Fruit> kFruits[] = {
    {{"name"},
     {'n', "Name", "NAME"},
     {"Name"},
     [](const Fruit& f, FieldValue& v) { v.text(f.name); }},
    {{"size.weight"},
     {'w', "Weight", "WEIGHT"},
     {"Weight", kOmit},
     [](const Fruit& f, FieldValue& v) {
       if (f.weight != 0) v.number(f.weight);
     }},
    {{},
     {0, "Long", "LONG"},
     {},
     [](const Fruit& f, FieldValue& v) { v.text(f.name + f.name); },
     {.whole = true}},
};
constexpr std::span<const Field<Fruit>> kTable = kFruits;

std::string print(const Format<Fruit>& format, const Fruit& fruit) {
  std::string out;
  FieldValue scratch;
  append_header(format, out);
  append_record(format, fruit, scratch, out);
  return out;
}
std::string letters(std::string_view text, const Fruit& fruit = {"apple", 7}) {
  return print(letter_format(kTable, text), fruit);
}
std::string named(std::string_view text, const Fruit& fruit = {"apple", 7}) {
  return print(name_format(kTable, text), fruit);
}
std::string sorted(std::string_view keys, std::vector<Fruit> fruits) {
  sort_records(fruits, *sort_keys(kTable, keys));
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

TEST(Json, OfARecordHasItsFieldsUnderTheirKeys) {
  EXPECT_EQ(json_of(kTable, Fruit{"apple", 7}).dump(), R"({"name":"apple","size":{"weight":7}})");
  EXPECT_EQ(json_of(kTable, Fruit{"", 0}).dump(), R"({"name":"","size":{"weight":null}})");
}

TEST(FieldValues, PrintInTheFormOfTheirSurface) {
  constexpr Form kShort{.short_spans = true, .raw_exit = true, .convert = false};
  auto text = [](const Form& form, const char* unset, auto&& say) {
    FieldValue value;
    say(value);
    return std::string(value.shown(form, unset));
  };
  auto nothing = [](FieldValue&) {};
  EXPECT_EQ(text({}, nullptr, nothing), "N/A");
  EXPECT_EQ(text({}, "*", nothing), "*");
  EXPECT_EQ(text({}, nullptr, [](FieldValue& v) { v.text(""); }), "(null)");
  EXPECT_EQ(text({.no_time = "Unknown"}, nullptr, [](FieldValue& v) { v.time({}); }), "Unknown");
  EXPECT_EQ(text({}, nullptr, [](FieldValue& v) { v.flag(true); }), "1");
  EXPECT_EQ(text({}, nullptr, [](FieldValue& v) { v.list({"a", "b"}); }), "a,b");
  EXPECT_EQ(text({}, nullptr, [](FieldValue& v) { v.span(Seconds{61}); }), "00:01:01");
  EXPECT_EQ(text(kShort, nullptr, [](FieldValue& v) { v.span(Seconds{61}); }), "1:01");
  EXPECT_EQ(text(kShort, nullptr, [](FieldValue& v) { v.limit(kUnlimited); }), "UNLIMITED");
  EXPECT_EQ(text({}, nullptr, [](FieldValue& v) { v.memory(2048); }), "2G");
  EXPECT_EQ(text(kShort, nullptr, [](FieldValue& v) { v.memory(2048); }), "2048M");
  EXPECT_EQ(text({}, nullptr, [](FieldValue& v) { v.exit_status(0x109); }), "1:9");
  EXPECT_EQ(text(kShort, nullptr, [](FieldValue& v) { v.exit_status(0x109); }), "265");
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
