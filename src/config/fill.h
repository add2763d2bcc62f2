// Fills a program's settings from the text of slurm.conf, row by row of the tables.
#pragma once

#include <string_view>

#include "config/keys/keys.h"

namespace muster::config {

// `value_of(key)` is the value given for the key, or its default.
template <class D, class ValueOf>
void fill(D& settings, const ValueOf& value_of) {
  for (const Key& key : known_keys())
    if (auto put = key.stores.template into<D>()) put(settings, key.type, value_of(key));
  for (const Word& word : known_words()) {
    auto put = word.stores.template into<D>();
    if (!put) continue;
    auto text = word_of(value_of(*find_key(word.key)), word.name);
    if (!text) continue;
    const bool is_bare = word.takes.what == Takes::What::nothing;
    put(settings, {Kind::word}, is_bare ? word.name : *text);
  }
}

}  // namespace muster::config
