// Table<Key, T>: an ordered table by a 32-bit id, in chunks of rows and blocks of chunks that are
// shared between copies. Copying a table of 100,000 rows copies some dozen pointers; editing a row
// of a copy copies one block and one chunk of pointers and that row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cow.h"

namespace muster {

template <class Key, class T>
class Table {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T* find(Key key) const {
    const Rows* rows = find_rows(key);
    if (!rows) return nullptr;
    const Cow<T>& row = rows->at[row_place(key)];
    return row ? &*row : nullptr;
  }
  bool contains(Key key) const { return find(key) != nullptr; }
  const T& at(Key key) const { return *find(key); }  // requires contains(key)

  // The row itself, shared: stays valid and unchanged whatever happens to the table.
  Cow<T> share(Key key) const {
    const Rows* rows = find_rows(key);
    return rows ? rows->at[row_place(key)] : Cow<T>{};
  }

  T& edit(Key key) {  // requires contains(key)
    return rows_to_edit(key).at[row_place(key)].edit();
  }

  void put(Key key, T value) {
    Rows& rows = rows_to_edit(key);
    Cow<T>& row = rows.at[row_place(key)];
    if (!row) {
      ++rows.used;
      ++size_;
    }
    row = Cow<T>(std::move(value));
  }

  void erase(Key key) {
    if (!contains(key)) return;
    auto position = lower_bound(block_number(key));
    Chunks& chunks = position->chunks.edit();
    Rows& rows = chunks.at[chunk_place(key)].edit();
    rows.at[row_place(key)] = Cow<T>{};
    --size_;
    if (--rows.used > 0) return;
    chunks.at[chunk_place(key)] = Cow<Rows>{};
    if (--chunks.used == 0) blocks_.erase(position);
  }

  // Calls visit(const T&) for each row in ascending order of its key.
  template <class Visit>
  void each(Visit&& visit) const {
    each_from(Key{0}, [&](const T& row) {
      visit(row);
      return true;
    });
  }

  // The rows whose keys are at least `from`, in order, until visit returns false.
  template <class Visit>
  void each_from(Key from, Visit&& visit) const {
    const std::uint32_t first_block = block_number(from);
    for (auto block = lower_bound(first_block); block != blocks_.end(); ++block) {
      std::uint32_t first_row = block->number == first_block ? from.value % kRowsPerBlock : 0;
      for (std::uint32_t i = first_row / kRowsPerChunk; i < kChunksPerBlock; ++i) {
        const Cow<Rows>& rows = (*block->chunks).at[i];
        std::uint32_t first = std::exchange(first_row, 0) % kRowsPerChunk;
        if (!rows) continue;
        for (; first < kRowsPerChunk; ++first) {
          const Cow<T>& row = (*rows).at[first];
          if (row && !visit(*row)) return;
        }
      }
    }
  }

  // Calls visit(was, is) for each row that is not the same one as in an earlier copy of this table,
  // nullptr standing for none: what the copies still share is passed over.
  template <class Visit>
  void each_change_since(const Table& before, Visit&& visit) const {
    auto old_block = before.blocks_.begin();
    auto block = blocks_.begin();
    while (old_block != before.blocks_.end() || block != blocks_.end()) {
      const bool was = block == blocks_.end() ||
                       (old_block != before.blocks_.end() && old_block->number <= block->number);
      const bool is = old_block == before.blocks_.end() ||
                      (block != blocks_.end() && block->number <= old_block->number);
      each_change(was ? address(old_block++->chunks) : nullptr,
                  is ? address(block++->chunks) : nullptr, visit);
    }
  }

  friend bool operator==(const Table& a, const Table& b) {
    return a.size_ == b.size_ && a.blocks_ == b.blocks_;
  }

 private:
  static constexpr std::uint32_t kRowsPerChunk = 64, kChunksPerBlock = 64;
  static constexpr std::uint32_t kRowsPerBlock = kRowsPerChunk * kChunksPerBlock;

  struct Rows {
    std::array<Cow<T>, kRowsPerChunk> at;
    std::uint32_t used = 0;
    bool operator==(const Rows&) const = default;
  };
  struct Chunks {
    std::array<Cow<Rows>, kChunksPerBlock> at;
    std::uint32_t used = 0;
    bool operator==(const Chunks&) const = default;
  };
  struct Block {
    std::uint32_t number;
    Cow<Chunks> chunks;
    bool operator==(const Block&) const = default;
  };

  static std::uint32_t block_number(Key key) { return key.value / kRowsPerBlock; }
  static std::uint32_t chunk_place(Key key) { return key.value / kRowsPerChunk % kChunksPerBlock; }
  static std::uint32_t row_place(Key key) { return key.value % kRowsPerChunk; }

  static constexpr auto comes_before = [](const Block& block, std::uint32_t number) {
    return block.number < number;
  };
  auto lower_bound(std::uint32_t number) const {
    return std::lower_bound(blocks_.begin(), blocks_.end(), number, comes_before);
  }
  auto lower_bound(std::uint32_t number) {
    return std::lower_bound(blocks_.begin(), blocks_.end(), number, comes_before);
  }
  const Rows* find_rows(Key key) const {
    auto block = lower_bound(block_number(key));
    if (block == blocks_.end() || block->number != block_number(key)) return nullptr;
    const Cow<Rows>& rows = (*block->chunks).at[chunk_place(key)];
    return rows ? &*rows : nullptr;
  }
  Rows& rows_to_edit(Key key) {
    auto block = lower_bound(block_number(key));
    if (block == blocks_.end() || block->number != block_number(key))
      block = blocks_.insert(block, Block{block_number(key), Cow<Chunks>(Chunks{})});
    Chunks& chunks = block->chunks.edit();
    Cow<Rows>& rows = chunks.at[chunk_place(key)];
    if (!rows) {
      rows = Cow<Rows>(Rows{});
      ++chunks.used;
    }
    return rows.edit();
  }

  template <class Of>
  static const Of* address(const Cow<Of>& of) {
    return of ? &*of : nullptr;
  }
  // Of two chunks, or of two blocks; nullptr = all of it is new, or gone.
  template <class Part, class Visit>
  static void each_change(const Part* was, const Part* is, Visit& visit) {
    if (was == is) return;
    if constexpr (std::is_same_v<Part, T>) {
      visit(was, is);
    } else {
      const std::size_t places = (is ? is : was)->at.size();
      for (std::size_t i = 0; i < places; ++i)
        each_change(was ? address(was->at[i]) : nullptr, is ? address(is->at[i]) : nullptr, visit);
    }
  }

  std::vector<Block> blocks_;  // ascending by number
  std::size_t size_ = 0;
};

}  // namespace muster
