// Table<Key, T>: a table ordered by a 32-bit id. Copies share its rows, chunks of rows, groups of
// chunks and blocks of groups. A copy of a table with 100,000 rows copies a few dozen pointers. To
// edit a row of a copy, that row and three arrays of 16 pointers on the way to it are copied. The
// arrays are small because copying a pointer also touches the reference count it points to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/containers/cow.h"

namespace muster {

template <class Key, class T>
class Table {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T* find(Key key) const {
    const Rows* rows = find_rows(key);
    if (!rows) return nullptr;
    const Cow<T>& row = rows->at[place(key)];
    return row ? &*row : nullptr;
  }
  bool contains(Key key) const { return find(key) != nullptr; }
  const T& at(Key key) const { return *find(key); }  // requires contains(key)

  // The row as a shared value: it stays valid and unchanged whatever happens to the table.
  Cow<T> share(Key key) const {
    const Rows* rows = find_rows(key);
    return rows ? rows->at[place(key)] : Cow<T>{};
  }

  T& edit(Key key) {  // requires contains(key)
    return rows_to_edit(key).at[place(key)].edit();
  }

  void put(Key key, T value) {
    Rows& rows = rows_to_edit(key);
    Cow<T>& row = rows.at[place(key)];
    if (!row) {
      ++rows.used;
      ++size_;
    }
    row = Cow<T>(std::move(value));
  }

  void erase(Key key) {
    if (!contains(key)) return;
    auto block = lower_bound(block_number(key));
    --size_;
    if (erase_in(block->groups.edit(), key.value)) blocks_.erase(block);
  }

  // Calls visit(const T&) for each row, ascending by key.
  template <class Visit>
  void each(Visit&& visit) const {
    each_from(Key{0}, [&](const T& row) {
      visit(row);
      return true;
    });
  }

  // Visits the rows with keys of at least `from`, in order, until visit returns false.
  template <class Visit>
  void each_from(Key from, Visit&& visit) const {
    const std::uint32_t first_block = block_number(from);
    for (auto block = lower_bound(first_block); block != blocks_.end(); ++block) {
      std::uint32_t first = block->number == first_block ? from.value % Groups::kRows : 0;
      if (!visit_from(*block->groups, first, visit)) return;
    }
  }

  // Calls visit(was, is) for each row that differs from an earlier copy of this table; nullptr
  // means that there is no row. Parts that both copies share are skipped.
  template <class Visit>
  void each_change_since(const Table& before, Visit&& visit) const {
    auto old_block = before.blocks_.begin();
    auto block = blocks_.begin();
    while (old_block != before.blocks_.end() || block != blocks_.end()) {
      const bool was = block == blocks_.end() ||
                       (old_block != before.blocks_.end() && old_block->number <= block->number);
      const bool is = old_block == before.blocks_.end() ||
                      (block != blocks_.end() && block->number <= old_block->number);
      each_change(was ? address(old_block++->groups) : nullptr,
                  is ? address(block++->groups) : nullptr, visit);
    }
  }

  friend bool operator==(const Table& a, const Table& b) {
    return a.size_ == b.size_ && a.blocks_ == b.blocks_;
  }

 private:
  static constexpr std::uint32_t kFanOut = 16;

  // One level of the tree: up to 16 parts with `Each` rows per part.
  template <class Of, std::uint32_t Each>
  struct Level {
    using Part = Of;
    static constexpr std::uint32_t kPerPart = Each, kRows = Each * kFanOut;
    std::array<Cow<Part>, kFanOut> at;
    std::uint32_t used = 0;
    bool operator==(const Level&) const = default;
    static std::uint32_t place(std::uint32_t row) { return row / Each % kFanOut; }
  };
  using Rows = Level<T, 1>;
  using Chunks = Level<Rows, Rows::kRows>;
  using Groups = Level<Chunks, Chunks::kRows>;
  struct Block {
    std::uint32_t number;
    Cow<Groups> groups;
    bool operator==(const Block&) const = default;
  };

  static std::uint32_t block_number(Key key) { return key.value / Groups::kRows; }
  static std::uint32_t place(Key key) { return Rows::place(key.value); }

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
    const Cow<Chunks>& chunks = block->groups->at[Groups::place(key.value)];
    if (!chunks) return nullptr;
    const Cow<Rows>& rows = chunks->at[Chunks::place(key.value)];
    return rows ? &*rows : nullptr;
  }
  Rows& rows_to_edit(Key key) {
    auto block = lower_bound(block_number(key));
    if (block == blocks_.end() || block->number != block_number(key))
      block = blocks_.insert(block, Block{block_number(key), Cow<Groups>(Groups{})});
    return part_to_edit(part_to_edit(block->groups.edit(), key.value), key.value);
  }
  template <class Whole>
  static typename Whole::Part& part_to_edit(Whole& whole, std::uint32_t row) {
    Cow<typename Whole::Part>& part = whole.at[Whole::place(row)];
    if (!part) {
      part = Cow<typename Whole::Part>(typename Whole::Part{});
      ++whole.used;
    }
    return part.edit();
  }

  // Erases a row, which must exist. True if nothing is left of the whole.
  template <class Whole>
  static bool erase_in(Whole& whole, std::uint32_t row) {
    Cow<typename Whole::Part>& part = whole.at[Whole::place(row)];
    if constexpr (Whole::kPerPart > 1)
      if (!erase_in(part.edit(), row)) return false;
    part = {};
    return --whole.used == 0;
  }

  // Visits the rows from this index on. False if visit returned false.
  template <class Whole, class Visit>
  static bool visit_from(const Whole& whole, std::uint32_t first, Visit& visit) {
    for (std::uint32_t i = first / Whole::kPerPart; i < kFanOut; ++i) {
      const std::uint32_t first_in_part = std::exchange(first, 0) % Whole::kPerPart;
      const Cow<typename Whole::Part>& part = whole.at[i];
      if (!part) continue;
      if constexpr (Whole::kPerPart > 1) {
        if (!visit_from(*part, first_in_part, visit)) return false;
      } else {
        if (!visit(*part)) return false;
      }
    }
    return true;
  }

  template <class Of>
  static const Of* address(const Cow<Of>& of) {
    return of ? &*of : nullptr;
  }
  // Compares two chunks, groups or blocks; nullptr means that all of it is new, or gone.
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
