// Accepts in bursts, and pauses when the system runs out of resources.
#include "io/net/listener.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace muster::io {

namespace {

// Accepts at most this many connections in a row, then lets other work run on the thread.
constexpr int kAcceptBurst = 64;
constexpr std::chrono::milliseconds kShortagePause{100};

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

class Listener final : public FdHandler, public std::enable_shared_from_this<Listener> {
 public:
  Listener(Loop& loop, int fd, ListenerHandlers handlers)
      : loop_(loop), fd_(fd), handlers_(std::move(handlers)) {}
  ~Listener() override { ::close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void start() { loop_.watch(fd_, EPOLLIN, shared_from_this()); }
  void on_ready(std::uint32_t) override {
    int why = 0;
    for (int i = 0; i < kAcceptBurst && why == 0; ++i) {
      const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0)
        handlers_.on_accept(fd);
      else
        why = errno;
    }
    if (why == EINVAL || why == EBADF) {  // shut down
      is_over_ = true;
      loop_.unwatch(fd_);
    } else if (is_shortage(why)) {
      handlers_.on_trouble(std::strerror(why));
      pause();
    }  // else there are no more now, or the peer has left again
  }

 private:
  void pause() {
    // The fd is watched already, so changing its events takes no memory. If it fails, accepting
    // just goes on.
    (void)loop_.set_events(fd_, 0);
    loop_.after(kShortagePause, [self = shared_from_this()] {
      if (!self->is_over_) (void)self->loop_.set_events(self->fd_, EPOLLIN);
    });
  }

  Loop& loop_;
  const int fd_;
  const ListenerHandlers handlers_;
  bool is_over_ = false;
};

}  // namespace

void start_listener(Loop& loop, int listening_fd, ListenerHandlers handlers) {
  auto listener = std::make_shared<Listener>(loop, listening_fd, std::move(handlers));
  loop.post([listener = std::move(listener)] { listener->start(); });
}

}  // namespace muster::io
