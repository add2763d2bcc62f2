// IdSet: a set of small numbers stored as ranges (array task ids, CPU numbers, GPU indices).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/short_list.h"

namespace muster {

class IdSet {
 public:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  // inclusive
    bool operator==(const Range&) const = default;
    template <class V>
    void fields(V& v) {
      v(1, first);
      v(2, last);
    }
  };

  IdSet() = default;
  static IdSet range(std::uint32_t first, std::uint32_t last);  // inclusive
  // Parses "0-5,7,10-30:10". Unset if the text is malformed, a range is descending, a number
  // exceeds `max`, or steps give more than `most_strided` ids, each of which takes a range of its
  // own.
  static std::optional<IdSet> parse(std::string_view text, std::uint32_t max = 0xfffffff0u,
                                    std::uint64_t most_strided = kMostStrided);
  static constexpr std::uint64_t kMostStrided = 1 << 16;

  bool empty() const { return ranges_.empty(); }
  std::uint64_t size() const;
  bool contains(std::uint32_t id) const;
  std::uint32_t min() const { return ranges_.front().first; }  // requires !empty()
  std::uint32_t max() const { return ranges_.back().last; }    // requires !empty()
  void insert(std::uint32_t id) { insert(id, id); }
  void insert(std::uint32_t first, std::uint32_t last);
  void erase(std::uint32_t id);
  void merge(const IdSet& other);
  void subtract(const IdSet& other);
  IdSet intersect(const IdSet& other) const;
  bool intersects(const IdSet& other) const;
  IdSet first(std::uint64_t count) const;  // the smallest `count` ids

  const ShortList<Range>& ranges() const { return ranges_; }
  std::vector<std::uint32_t> ids() const;
  template <class Visit>
  void each(Visit&& visit) const {  // visit(id), ascending
    for (const Range& r : ranges_)
      for (std::uint64_t id = r.first; id <= r.last; ++id) visit(static_cast<std::uint32_t>(id));
  }

  std::string text() const;  // "0-5,7"
  std::string list() const;  // "0,1,2,3,4,5,7"

  bool operator==(const IdSet&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, ranges_);
  }
  bool is_valid() const;  // the codec calls it after decoding

 private:
  ShortList<Range> ranges_;  // ascending, disjoint, never adjacent
};

}  // namespace muster
