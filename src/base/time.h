// Points in time and time spans. The core never reads a clock: time is always an argument.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;
using Minutes = std::chrono::minutes;
using Time = std::chrono::sys_time<Millis>;  // Time{} means "not set"

inline constexpr bool is_set(Time t) { return t != Time{}; }
inline constexpr std::int64_t unix_seconds(Time t) {
  return std::chrono::floor<Seconds>(t).time_since_epoch().count();
}
inline constexpr Time from_unix_seconds(std::int64_t s) { return Time{Seconds{s}}; }

}  // namespace muster
