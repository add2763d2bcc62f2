// The time of day, as the pure layers are given it.
#pragma once

#include <chrono>

#include "base/time.h"

namespace muster::io {

inline Time wall_clock() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

}  // namespace muster::io
