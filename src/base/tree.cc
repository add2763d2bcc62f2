// Splits a list into sections for a fan-out tree.
#include "base/tree.h"

#include <algorithm>

namespace muster {

std::vector<Section> split_into_sections(std::size_t count, std::size_t width) {
  const std::size_t parts = std::min(count, std::max<std::size_t>(width, 1));
  std::vector<Section> runs;
  std::size_t first = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t size = count / parts + (i < count % parts ? 1 : 0);
    runs.push_back({first, size});
    first += size;
  }
  return runs;
}

}  // namespace muster
