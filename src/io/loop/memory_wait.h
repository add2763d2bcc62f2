// What threads beside a loop do when memory runs out: they wait, since others may free some.
#pragma once

#include <chrono>
#include <new>
#include <thread>

namespace muster::io {

inline constexpr std::chrono::milliseconds kRestWithoutMemory{20};

// Calls it until it does not throw std::bad_alloc, or there is no use any more.
template <class Work, class IsUseless>
void call_until_memory_suffices(Work&& work, IsUseless&& is_useless) {
  do {
    try {
      return work();
    } catch (const std::bad_alloc&) {
    }
    std::this_thread::sleep_for(kRestWithoutMemory);
  } while (!is_useless());
}

}  // namespace muster::io
