// Virtual time: what happens when, and one seeded source of random numbers. A run is a pure
// function of its seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>

#include "base/time.h"

namespace muster::sim {

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : random_(seed) {}

  Time now() const { return now_; }
  void at(Time when, std::function<void()> what) {
    queue_.emplace(std::pair{std::max(when, now_), ++order_}, std::move(what));
  }
  void after(Millis delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // Runs everything that is due up to `until`.
  void run_until(Time until) {
    while (!queue_.empty() && queue_.begin()->first.first <= until) {
      auto next = queue_.extract(queue_.begin());
      now_ = next.key().first;
      next.mapped()();
    }
    now_ = until;
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }

 private:
  std::mt19937_64 random_;
  Time now_{Seconds{1'000'000'000}};
  std::uint64_t order_ = 0;
  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> queue_;
};

}  // namespace muster::sim
