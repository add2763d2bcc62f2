// A listening socket on a Loop.
#pragma once

#include <functional>
#include <string_view>

#include "io/loop/loop.h"

namespace muster::io {

struct ListenerHandlers {
  std::function<void(int fd)> on_accept;  // non-blocking, close-on-exec; the callee's to keep
  std::function<void(std::string_view why)>
      on_trouble;  // no descriptors or memory; it pauses and goes on
};

// Takes the fd over, and accepts until it is shut down with shutdown(2), which any thread may do.
void start_listener(Loop& loop, int listening_fd, ListenerHandlers handlers);

}  // namespace muster::io
