// A command runs for milliseconds and would spend much of that time on page faults, one for every 4
// KiB that it allocates. This prevents most of them.
#pragma once

#include <cstddef>

namespace muster::cli {

// About this many bytes will be allocated: takes them as large pages if the kernel has them, and
// keeps freed memory.
void expect_memory(std::size_t bytes);

}  // namespace muster::cli
