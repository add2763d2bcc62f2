// The containers of base: Text, Cow, Table, IdSet and the codec.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/codec/codec.h"
#include "base/containers/table.h"
#include "base/containers/text.h"
#include "base/text/idset.h"

namespace muster {
namespace {

TEST(Text, IsSharedAndComparesByContent) {
  Text a = "hello", b = a;
  EXPECT_EQ(a.view().data(), b.view().data());
  EXPECT_EQ(Text("x"), "x");
  EXPECT_TRUE(Text("").empty());
  EXPECT_TRUE(Text("a") < Text("b"));
}

TEST(Table, ACopyDoesNotSeeLaterChanges) {
  Table<JobId, std::string> table;
  for (std::uint32_t i = 1; i <= 200; ++i) table.put(JobId{i}, std::to_string(i));
  auto copy = table;
  table.edit(JobId{7}) = "changed";
  table.erase(JobId{8});
  EXPECT_EQ(copy.at(JobId{7}), "7");
  EXPECT_TRUE(copy.contains(JobId{8}));
  EXPECT_EQ(table.size(), 199u);
  EXPECT_EQ(table.find(JobId{8}), nullptr);
}

TEST(Table, TellsWhichRowsChangedSinceAnEarlierCopy) {
  Table<JobId, std::string> table;
  for (std::uint32_t i = 1; i <= 20'000; ++i) table.put(JobId{i}, std::to_string(i));
  const auto before = table;
  table.edit(JobId{7}) = "seven";
  table.erase(JobId{8});
  table.put(JobId{50'000}, "new");
  std::vector<std::pair<std::string, std::string>> seen;
  auto text = [](const std::string* row) { return row ? *row : "none"; };
  auto note = [&](const std::string* was, const std::string* is) {
    seen.emplace_back(text(was), text(is));
  };
  table.each_change_since(before, note);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(seen, (Pairs{{"7", "seven"}, {"8", "none"}, {"none", "new"}}));
  seen.clear();
  table.each_change_since(Table(table), note);
  EXPECT_TRUE(seen.empty());
  before.each_change_since({}, note);
  EXPECT_EQ(seen.size(), 20'000u);
}

void expect_set_algebra(const IdSet& ids, const std::set<std::uint32_t>& numbers,
                        std::mt19937& random) {
  IdSet others;
  std::vector<std::uint32_t> common, rest;
  for (std::uint32_t i = 0; i < random() % 30; ++i) others.insert(random() % 40);
  for (std::uint32_t n : numbers) (others.contains(n) ? common : rest).push_back(n);
  EXPECT_EQ(ids.intersect(others).ids(), common);
  EXPECT_EQ(ids.intersects(others), !common.empty());
  IdSet copy = ids, changed = ids;
  changed.subtract(others);
  EXPECT_EQ(changed.ids(), rest);
  EXPECT_EQ(copy, ids);
  copy.merge(others);
  copy.subtract(changed);
  EXPECT_EQ(copy, others);
  const IdSet moved = std::move(copy);
  EXPECT_EQ(moved, others);
  EXPECT_EQ(decode<IdSet>(encode(moved)), moved);
}

TEST(IdSet, AgreesWithASetOfNumbers) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    IdSet ids;
    std::set<std::uint32_t> expected;
    for (int i = 0; i < 60; ++i) {
      std::uint32_t id = random() % 40;
      if (random() % 3 == 0) {
        ids.erase(id);
        expected.erase(id);
      } else {
        ids.insert(id);
        expected.insert(id);
      }
    }
    EXPECT_EQ(ids.ids(), std::vector<std::uint32_t>(expected.begin(), expected.end()));
    expect_set_algebra(ids, expected, random);
    if (!ids.empty()) {
      EXPECT_EQ(IdSet::parse(ids.text()), ids);
    }
  }
}

TEST(IdSet, RefusesMalformedTexts) {
  for (const char* bad : {"", "a", "3-1", "1-", "-1", "1,,2", "1-5:0", "1:x"})
    EXPECT_FALSE(IdSet::parse(bad)) << bad;
  EXPECT_FALSE(IdSet::parse("0-11", 10));
}

struct Sample {
  int number = 0;
  std::string text;
  std::vector<std::uint32_t> list;
  std::optional<bool> flag;
  std::map<Text, JobId> map;
  bool operator==(const Sample&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, number);
    v(2, text);
    v(3, list);
    v(4, flag);
    v(5, map);
  }
};

TEST(Codec, BringsBackWhatWasWritten) {
  Sample sample{-5, "abc", {0, 1, 300}, false, {{"x", JobId{7}}}};
  auto back = decode<Sample>(encode(sample));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, sample);
  EXPECT_EQ(encode(Sample{}), "");
}

TEST(Codec, SurvivesEveryDamage) {
  std::string bytes = encode(Sample{-5, "abc", {0, 1, 300}, false, {{"x", JobId{7}}}});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    (void)decode<Sample>(bytes.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      (void)decode<Sample>(damaged);
    }
  }
}

}  // namespace
}  // namespace muster
