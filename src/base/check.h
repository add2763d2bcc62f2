// CHECK states what must hold at this point. It stays on in release builds: a controller whose
// invariants are broken must stop before it writes the damage to disk.
#pragma once

#include <string>

namespace muster {

[[noreturn]] void check_failed(const char* expression, const char* file, int line,
                               const std::string& detail = {});

}  // namespace muster

#define CHECK(condition, ...)                                                            \
  do {                                                                                   \
    if (!(condition)) [[unlikely]]                                                       \
      ::muster::check_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
