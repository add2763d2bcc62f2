// "3-4,6": sets of numbers. Unlike in IdSet::text, two neighbours are a range too.
#pragma once

#include <string>

#include "base/text/idset.h"

namespace muster::cli {

inline std::string ranges_text(const IdSet& set) {
  std::string out;
  for (const IdSet::Range& range : set.ranges()) {
    if (!out.empty()) out += ',';
    out += std::to_string(range.first);
    if (range.last != range.first) out += "-" + std::to_string(range.last);
  }
  return out;
}

}  // namespace muster::cli
