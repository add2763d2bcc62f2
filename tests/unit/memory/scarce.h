// Memory that runs out when a test says so, in the code that the test is about and nowhere else.
#pragma once

#include <cstddef>

namespace muster::test {

// Of the allocations of scarce code, those from the first on fail, so many of them.
struct Refusals {
  std::size_t first = 0, count = 0;
  std::size_t seen = 0;
  bool is_scarce = false;

  bool refuses() {
    if (!is_scarce || count == 0) return false;
    ++seen;
    return seen >= first && seen < first + count;
  }
};
inline Refusals refusals;  // of operator new, which this program replaces

template <bool is_scarce>
class Memory {
 public:
  Memory() { refusals.is_scarce = is_scarce; }
  ~Memory() { refusals.is_scarce = was_; }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

 private:
  const bool was_ = refusals.is_scarce;
};
using Scarce = Memory<true>;
using Plenty = Memory<false>;

}  // namespace muster::test
