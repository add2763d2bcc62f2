// tree: splits a list into sections, one per child of a fan-out tree. The first element of a
// section is the child itself; the rest of the section is split again among that child's own
// children.
#pragma once

#include <cstddef>
#include <vector>

namespace muster {

struct Section {
  std::size_t first = 0, count = 0;
  bool operator==(const Section&) const = default;
};

// Sections of nearly equal size, in order. A width of 0 counts as 1.
std::vector<Section> split_into_sections(std::size_t count, std::size_t width);

}  // namespace muster
