// listener: accepts connections of a listening socket on a Loop.
#pragma once

#include <functional>
#include <string_view>

#include "io/loop/loop.h"

namespace muster::io {

struct ListenerHandlers {
  std::function<void(int fd)> on_accept;  // non-blocking, close-on-exec; the callee owns it
  std::function<void(std::string_view why)>
      on_trouble;  // out of descriptors or memory; it tries again after a pause
};

// Takes ownership of the fd, and accepts until any thread calls shutdown(2) on the socket.
void start_listener(Loop& loop, int listening_fd, ListenerHandlers handlers);

}  // namespace muster::io
