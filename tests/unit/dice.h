// Random numbers that one seed repeats.
#pragma once

#include <cstdint>
#include <random>

namespace muster::test {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t upto(std::uint32_t most) { return engine_() % (most + 1); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + upto(high - low); }
  bool one_in(std::uint32_t n) { return engine_() % n == 0; }

 private:
  std::mt19937 engine_;
};

}  // namespace muster::test
