// Finds rows of the tables by their names.
#include "config/key_table.h"

#include "base/text/strings.h"
#include "config/word_table.h"

namespace muster::config {

namespace {

bool is_key(const Key& key) { return key.use.how != Use::How::row_only; }

constexpr bool words_have_keys() {
  for (const Word& word : word_table::kWords) {
    bool found = false;
    for (const Key& key : key_table::kKeys) found = found || key.name == word.key;
    if (!found) return false;
  }
  return true;
}
static_assert(words_have_keys());

}  // namespace

std::span<const Key> known_keys() { return key_table::kKeys; }
std::span<const Word> known_words() { return word_table::kWords; }

const Key* find_key(std::string_view name) {
  const char first = key_table::first_letter(name);
  for (const Key& key : key_table::kKeys)
    if (key_table::first_letter(key.name) == first && is_key(key) && iequals(key.name, name))
      return &key;
  return nullptr;
}

}  // namespace muster::config
