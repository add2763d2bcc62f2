// If something fails, the measurement ends at once and prints why.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/result.h"

namespace muster::bench {

template <class T>
void check(const Result<T>& result, std::string_view what) {
  if (result) return;
  std::fprintf(stderr, "load: %.*s: %s\n", static_cast<int>(what.size()), what.data(),
               result.error().text().c_str());
  std::_Exit(1);
}

}  // namespace muster::bench
