// Table compared with a std::map: rows, copies, order, and what has changed since.
#include "base/containers/table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace muster {
namespace {

struct Key {
  std::uint32_t value = 0;
};
using Numbers = Table<Key, std::uint64_t>;
using Model = std::map<std::uint32_t, std::uint64_t>;

Model rows_of(const Numbers& table, std::uint32_t from = 0) {
  Model rows;
  std::uint32_t key = from;
  table.each_from(Key{from}, [&](std::uint64_t row) {
    while (!table.contains(Key{key})) ++key;
    rows.emplace(key++, row);
    return true;
  });
  return rows;
}

// Ids are close together, far apart, and on both sides of the borders of chunks, groups and blocks.
std::uint32_t random_key(std::mt19937& random) {
  static constexpr std::uint32_t kStarts[] = {0, 10, 250, 4090, 5000, 40950};
  return kStarts[random() % std::size(kStarts)] + static_cast<std::uint32_t>(random() % 20);
}

void change_at_random(std::mt19937& random, Numbers& table, Model& model) {
  const std::uint32_t key = random_key(random);
  const std::uint64_t value = random();
  if (random() % 3 == 0) {
    table.erase(Key{key});
    model.erase(key);
  } else if (table.contains(Key{key}) && random() % 2 == 0) {
    table.edit(Key{key}) = value;
    model.at(key) = value;
  } else {
    table.put(Key{key}, value);
    model[key] = value;
  }
}

TEST(Table, DoesWhatAMapDoesAndItsCopiesStayAsTheyWere) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Numbers table;
    Model model;
    std::vector<std::pair<Numbers, Model>> copies;
    for (int i = 0; i < 200; ++i) {
      change_at_random(random, table, model);
      if (i % 50 == 0) copies.emplace_back(table, model);
    }
    ASSERT_EQ(table.size(), model.size()) << seed;
    ASSERT_EQ(rows_of(table), model) << seed;
    for (const auto& [copy, as_it_was] : copies) {
      ASSERT_EQ(rows_of(copy), as_it_was) << seed;
      ASSERT_EQ(copy == table, as_it_was == model) << seed;
    }
  }
}

TEST(Table, IsReadFromAnyRowOn) {
  Numbers table;
  for (std::uint32_t key : {3u, 15u, 16u, 255u, 256u, 4095u, 4096u, 100000u})
    table.put(Key{key}, key);
  for (std::uint32_t from :
       {0u, 3u, 4u, 16u, 17u, 256u, 257u, 4095u, 4096u, 4097u, 100000u, 100001u}) {
    std::vector<std::uint64_t> seen;
    table.each_from(Key{from}, [&](std::uint64_t row) {
      seen.push_back(row);
      return seen.size() < 3;
    });
    std::vector<std::uint64_t> expected;
    table.each([&](std::uint64_t row) {
      if (row >= from && expected.size() < 3) expected.push_back(row);
    });
    EXPECT_EQ(seen, expected) << from;
  }
}

TEST(Table, TellsWhatHasChangedSinceACopyAndNothingElse) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Numbers table;
    Model model;
    for (int i = 0; i < 100; ++i) change_at_random(random, table, model);
    const Numbers before = table;
    const Model was = model;
    for (unsigned i = 0; i < seed % 20; ++i) change_at_random(random, table, model);
    std::multiset<std::pair<std::uint64_t, std::uint64_t>> told, expected;  // 0 = none
    table.each_change_since(before, [&](const std::uint64_t* old, const std::uint64_t* now) {
      if (!old || !now || *old != *now) told.emplace(old ? *old : 0, now ? *now : 0);
    });
    Model all = was;
    all.insert(model.begin(), model.end());
    for (const auto& [key, unused] : all) {
      const std::uint64_t old = was.contains(key) ? was.at(key) : 0;
      const std::uint64_t now = model.contains(key) ? model.at(key) : 0;
      if (old != now) expected.emplace(old, now);
    }
    ASSERT_EQ(told, expected) << seed;
  }
}

}  // namespace
}  // namespace muster
