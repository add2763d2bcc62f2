// Table<Key, T>: an ordered table by a 32-bit id, in chunks that are shared between copies. Copying
// a table of 100,000 rows copies some hundred pointers; editing a row of a copy copies one chunk of
// pointers and that row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/cow.h"

namespace muster {

template <class Key, class T>
class Table {
 public:
  static constexpr std::uint32_t kRowsPerChunk = 64;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T* find(Key key) const {
    const auto* chunk = find_chunk(key);
    if (!chunk) return nullptr;
    const Cow<T>& row = (*chunk->rows).at[slot(key)];
    return row ? &*row : nullptr;
  }
  bool contains(Key key) const { return find(key) != nullptr; }
  const T& at(Key key) const { return *find(key); }  // requires contains(key)

  // The row itself, shared: stays valid and unchanged whatever happens to the table.
  Cow<T> share(Key key) const {
    const auto* chunk = find_chunk(key);
    return chunk ? (*chunk->rows).at[slot(key)] : Cow<T>{};
  }

  T& edit(Key key) {  // requires contains(key)
    return chunk_of(key).rows.edit().at[slot(key)].edit();
  }

  void put(Key key, T value) {
    Rows& rows = chunk_of(key).rows.edit();
    Cow<T>& row = rows.at[slot(key)];
    if (!row) {
      ++rows.used;
      ++size_;
    }
    row = Cow<T>(std::move(value));
  }

  void erase(Key key) {
    if (!contains(key)) return;
    auto position = lower_bound(number(key));
    Rows& rows = position->rows.edit();
    rows.at[slot(key)] = Cow<T>{};
    --size_;
    if (--rows.used == 0) chunks_.erase(position);
  }

  // Calls visit(const T&) for each row in ascending order of its key.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const Chunk& chunk : chunks_)
      for (const Cow<T>& row : (*chunk.rows).at)
        if (row) visit(*row);
  }

  // The rows whose keys are at least `from`, in order, until visit returns false.
  template <class Visit>
  void each_from(Key from, Visit&& visit) const {
    for (auto chunk = lower_bound(number(from)); chunk != chunks_.end(); ++chunk) {
      std::uint32_t first = chunk->number == number(from) ? slot(from) : 0;
      for (std::uint32_t i = first; i < kRowsPerChunk; ++i) {
        const Cow<T>& row = (*chunk->rows).at[i];
        if (row && !visit(*row)) return;
      }
    }
  }

  friend bool operator==(const Table& a, const Table& b) {
    return a.size_ == b.size_ && a.chunks_ == b.chunks_;
  }

 private:
  struct Rows {
    std::array<Cow<T>, kRowsPerChunk> at;
    std::uint32_t used = 0;
    bool operator==(const Rows&) const = default;
  };
  struct Chunk {
    std::uint32_t number;
    Cow<Rows> rows;
    bool operator==(const Chunk&) const = default;
  };

  static std::uint32_t number(Key key) { return key.value / kRowsPerChunk; }
  static std::uint32_t slot(Key key) { return key.value % kRowsPerChunk; }

  auto lower_bound(std::uint32_t n) const {
    return std::lower_bound(chunks_.begin(), chunks_.end(), n,
                            [](const Chunk& c, std::uint32_t value) { return c.number < value; });
  }
  auto lower_bound(std::uint32_t n) {
    return std::lower_bound(chunks_.begin(), chunks_.end(), n,
                            [](const Chunk& c, std::uint32_t value) { return c.number < value; });
  }
  const Chunk* find_chunk(Key key) const {
    auto position = lower_bound(number(key));
    return position != chunks_.end() && position->number == number(key) ? &*position : nullptr;
  }
  Chunk& chunk_of(Key key) {
    auto position = lower_bound(number(key));
    if (position == chunks_.end() || position->number != number(key))
      position = chunks_.insert(position, Chunk{number(key), Cow<Rows>(Rows{})});
    return *position;
  }

  std::vector<Chunk> chunks_;  // ascending by number
  std::size_t size_ = 0;
};

}  // namespace muster
