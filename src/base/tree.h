// A tree over a row of places: its roots, as many as it is wide, each answer for a section of the
// row, themselves first; the rest of a section is a row again.
#pragma once

#include <cstddef>
#include <vector>

namespace muster {

struct Section {
  std::size_t first = 0, count = 0;
  bool operator==(const Section&) const = default;
};

// Sections as even as can be, in the order of the row. A width of 0 counts as 1.
std::vector<Section> split_into_sections(std::size_t count, std::size_t width);

}  // namespace muster
