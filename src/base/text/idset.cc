// Set operations on ranges, and the texts of a set.
#include "base/text/idset.h"

#include <algorithm>
#include <charconv>

#include "base/text/strings.h"

namespace muster {

IdSet IdSet::range(std::uint32_t first, std::uint32_t last) {
  IdSet set;
  set.insert(first, last);
  return set;
}

std::optional<IdSet> IdSet::parse(std::string_view text, std::uint32_t max,
                                  std::uint64_t most_strided) {
  IdSet set;
  std::uint64_t strided = 0;
  for (std::string_view part : split(text, ',')) {
    auto colon = part.find(':');
    std::uint32_t step = 1;
    if (colon != part.npos) {
      auto parsed = parse_number<std::uint32_t>(part.substr(colon + 1));
      if (!parsed || *parsed == 0) return std::nullopt;
      step = *parsed;
      part = part.substr(0, colon);
    }
    auto dash = part.find('-');
    auto first = parse_number<std::uint32_t>(part.substr(0, dash));
    auto last = dash == part.npos ? first : parse_number<std::uint32_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > max) return std::nullopt;
    if (step == 1) {
      set.insert(*first, *last);
    } else {
      strided += (std::uint64_t{*last} - *first) / step + 1;
      if (strided > most_strided) return std::nullopt;
      for (std::uint64_t id = *first; id <= *last; id += step)
        set.insert(static_cast<std::uint32_t>(id));
    }
  }
  return set;
}

bool IdSet::is_valid() const {
  const Range* before = nullptr;
  for (const Range& r : ranges_) {
    if (r.last < r.first || (before && r.first <= std::uint64_t{before->last} + 1)) return false;
    before = &r;
  }
  return true;
}

std::uint64_t IdSet::size() const {
  std::uint64_t n = 0;
  for (const Range& r : ranges_) n += std::uint64_t{r.last} - r.first + 1;
  return n;
}

bool IdSet::contains(std::uint32_t id) const {
  auto r = std::lower_bound(ranges_.begin(), ranges_.end(), id,
                            [](const Range& range, std::uint32_t v) { return range.last < v; });
  return r != ranges_.end() && r->first <= id;
}

void IdSet::insert(std::uint32_t first, std::uint32_t last) {
  // Merges all ranges that overlap or adjoin [first, last].
  auto begin = std::lower_bound(
      ranges_.begin(), ranges_.end(), first,
      [](const Range& r, std::uint32_t v) { return std::uint64_t{r.last} + 1 < v; });
  auto end = begin;
  while (end != ranges_.end() && end->first <= std::uint64_t{last} + 1) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
    ++end;
  }
  if (begin == end) {
    ranges_.insert(begin, Range{first, last});
  } else {
    *begin = Range{first, last};
    ranges_.erase(begin + 1, end);
  }
}

void IdSet::erase(std::uint32_t id) {
  auto r = std::lower_bound(ranges_.begin(), ranges_.end(), id,
                            [](const Range& range, std::uint32_t v) { return range.last < v; });
  if (r == ranges_.end() || r->first > id) return;
  if (r->first == id && r->last == id) {
    ranges_.erase(r);
  } else if (r->first == id) {
    ++r->first;
  } else if (r->last == id) {
    --r->last;
  } else {
    Range tail{id + 1, r->last};
    r->last = id - 1;
    ranges_.insert(r + 1, tail);
  }
}

void IdSet::merge(const IdSet& other) {
  for (const Range& r : other.ranges_) insert(r.first, r.last);
}

void IdSet::subtract(const IdSet& other) {
  if (!intersects(other)) return;
  ShortList<Range> left;
  auto cut = other.ranges_.begin();
  for (Range r : ranges_) {
    while (cut != other.ranges_.end() && cut->last < r.first) ++cut;
    bool remains = true;
    for (auto c = cut; c != other.ranges_.end() && c->first <= r.last; ++c) {
      if (c->first > r.first) left.push_back({r.first, c->first - 1});
      if (c->last >= r.last) {
        remains = false;
        break;
      }
      r.first = c->last + 1;
    }
    if (remains) left.push_back(r);
  }
  ranges_ = std::move(left);
}

IdSet IdSet::intersect(const IdSet& other) const {
  IdSet common;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    std::uint32_t first = std::max(a->first, b->first);
    std::uint32_t last = std::min(a->last, b->last);
    if (first <= last) common.ranges_.push_back({first, last});
    if (a->last < b->last)
      ++a;
    else
      ++b;
  }
  return common;
}

bool IdSet::intersects(const IdSet& other) const {
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    if (a->last < b->first)
      ++a;
    else if (b->last < a->first)
      ++b;
    else
      return true;
  }
  return false;
}

IdSet IdSet::first(std::uint64_t count) const {
  IdSet head;
  for (const Range& r : ranges_) {
    if (count == 0) break;
    std::uint64_t n = std::min<std::uint64_t>(count, std::uint64_t{r.last} - r.first + 1);
    head.ranges_.push_back({r.first, static_cast<std::uint32_t>(r.first + n - 1)});
    count -= n;
  }
  return head;
}

std::vector<std::uint32_t> IdSet::ids() const {
  std::vector<std::uint32_t> all;
  all.reserve(size());
  each([&](std::uint32_t id) { all.push_back(id); });
  return all;
}

std::string IdSet::text() const {
  std::string out;
  for (const Range& r : ranges_) {
    if (!out.empty()) out += ',';
    out += std::to_string(r.first);
    if (r.last != r.first) out += "-" + std::to_string(r.last);
  }
  return out;
}

std::string IdSet::list() const {
  std::string out;
  for (std::uint32_t id : ids()) {
    if (!out.empty()) out += ',';
    out += std::to_string(id);
  }
  return out;
}

}  // namespace muster
