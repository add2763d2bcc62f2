// Properties of all rows of the two tables.
#include <gtest/gtest.h>

#include <set>

#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/slurm_conf.h"

namespace muster::config {
namespace {

TEST(KeyTable, NamesEachKeyOnce) {
  std::set<std::string_view, CaseInsensitiveLess> names;
  for (const Key& key : known_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
}

TEST(KeyTable, AKeyActsWhereItsValueGoesSomewhere) {
  for (const Key& key : known_keys()) EXPECT_EQ(key.use.acts(), key.stores.any()) << key.name;
}

TEST(KeyTable, AKeyThatActsByItsWordsHasSomeThatAct) {
  for (const Key& key : known_keys()) {
    if (!key.use.acts() || key.stores.controller || key.stores.cluster || key.stores.node ||
        key.stores.client || key.stores.read_by_name)
      continue;
    EXPECT_TRUE(std::ranges::any_of(known_words(), [&](const Word& word) {
      return word.key == key.name && word.use.acts();
    })) << key.name;
  }
}

TEST(WordTable, AWordActsWhereItGoesSomewhere) {
  for (const Word& word : known_words())
    EXPECT_EQ(word.use.acts(), word.stores.any()) << word.key << "=" << word.name;
}

TEST(WordTable, ValuesThatAreChoicesAllowItsWords) {
  for (const Word& word : known_words()) {
    const Key* key = find_key(word.key);
    ASSERT_NE(key, nullptr) << word.key;
    if (key->type.kind != Kind::choices && key->type.kind != Kind::plugins) continue;
    const std::string value =
        std::string(word.name) + (word.takes.what == Takes::What::text ? "=cores" : "");
    EXPECT_TRUE(check_value(*key, {}, {std::string(key->name), value})) << value;
  }
}

TEST(Words, AreFoundInLists) {
  EXPECT_EQ(word_of("bf_interval=30, Defer", "bf_interval"), "30");
  EXPECT_EQ(word_of("bf_interval=30, Defer", "defer"), "");
  EXPECT_EQ(word_of("a=1,a=2", "a"), "1");
  EXPECT_EQ(word_of("bf_interval=30", "bf"), std::nullopt);
  EXPECT_EQ(word_of("", "bf"), std::nullopt);
}

}  // namespace
}  // namespace muster::config
