// A command that runs for milliseconds spends a good part of them on page faults, one for every 4
// KiB that it takes.
#pragma once

#include <cstddef>

namespace muster::cli {

// About this much will be allocated: it comes in large pages where the kernel has them, and freed
// memory stays with the program.
void expect_memory(std::size_t bytes);

}  // namespace muster::cli
