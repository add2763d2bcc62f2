// Allocates the memory for a large answer with few page faults.
#include "cli/lib/expect_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace muster::cli {

void expect_memory(std::size_t bytes) {
  constexpr std::size_t kLargePage = 2u << 20;
  constexpr std::size_t kMost = 1u << 30;
  if (bytes < kLargePage) return;
  bytes = std::min(bytes, kMost);
  // Let the heap grow at once by what is needed, instead of piece by piece.
  const auto room = static_cast<int>(bytes + 2 * kLargePage);
  mallopt(M_MMAP_THRESHOLD, room);
  mallopt(M_TRIM_THRESHOLD, room);
  mallopt(M_TOP_PAD, room);
  // A page that is in use prevents a large page around it. So malloc's header goes just before a
  // large page's border, and the end of the memory just behind one.
  constexpr std::size_t kPage = 4096;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  sbrk(static_cast<std::intptr_t>((2 * kLargePage - kPage - end % kLargePage) % kLargePage));
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile grown = malloc(bytes);  // volatile: otherwise the compiler removes both calls
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t first = (before + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = after / kLargePage * kLargePage;
  // Kernels without large pages ignore this.
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  free(grown);
}

}  // namespace muster::cli
