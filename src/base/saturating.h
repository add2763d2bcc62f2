// Arithmetic for counts and sizes that come from users. A result that does not fit becomes the
// largest number there is, so that a huge amount never looks like a small one.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace muster {

constexpr std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

// Rounded up; requires b > 0.
constexpr std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// The nearest number that fits into 32 bits.
constexpr std::uint32_t saturated_32(std::uint64_t n) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(n < kMost ? n : kMost);
}

// The largest number up to `most` that fits; 0 if not even 1 does. Requires that each number below
// a number that fits also fits.
template <std::predicate<std::uint32_t> Fits>
constexpr std::uint32_t largest_that_fits(std::uint32_t most, Fits&& fits) {
  std::uint32_t low = 0;
  while (low < most) {
    const std::uint32_t middle = most - (most - low) / 2;  // above `low`
    if (fits(middle))
      low = middle;
    else
      most = middle - 1;
  }
  return low;
}

}  // namespace muster
