// The Dialer of server.h. Connecting blocks (name service, munge, handshake), so it runs on the
// loop's pool, with the same code as commands use. The connection then belongs to the loop.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <shared_mutex>

#include "base/check.h"
#include "io/net/channel_connect.h"
#include "io/net/loop_connection.h"
#include "io/net/server.h"

namespace muster::io {

namespace {

constexpr Millis kConnectTimeout{10000};
constexpr std::size_t kMaxQueuedBytes = 256u << 20;

// Shared by the Dialer and by its pending work.
class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Loop& loop, std::vector<Endpoint> endpoints, Dialer::Handlers handlers, Millis retry_min,
       Millis retry_max)
      : loop_(loop),
        endpoints_(std::move(endpoints)),
        handlers_(std::move(handlers)),
        retry_min_(retry_min),
        retry_max_(std::max(retry_min, retry_max)),
        delay_(retry_min),
        cancel_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    CHECK(cancel_fd_ >= 0);
    CHECK(!endpoints_.empty());
  }
  ~Core() { ::close(cancel_fd_); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void dial() {
    loop_.run_blocking([self = shared_from_this()] { self->try_all(); });
  }
  void send(std::string frame) {
    if (const auto connection = current()) connection->send(std::move(frame));
  }
  void close();
  void stop();  // no handler is called after it

 private:
  void try_all();
  void on_connected(int fd, SessionState state);
  void on_lost(const Error& why);
  std::shared_ptr<Connection> current() const {
    const std::lock_guard lock(mutex_);
    return connection_;
  }

  Loop& loop_;
  const std::vector<Endpoint> endpoints_;
  const Dialer::Handlers handlers_;
  const Millis retry_min_, retry_max_;
  Millis delay_;  // before the next attempt; there is only one attempt or connection at a time
  const int cancel_fd_;  // readable = stop waiting

  std::atomic<bool> is_closed_{false};
  std::shared_mutex gate_;  // held shared while a handler runs; stop() locks it to wait for them

  mutable std::mutex mutex_;  // guards the member below
  std::shared_ptr<Connection> connection_;
};

void Core::try_all() {
  Error last;
  for (const Endpoint& endpoint : endpoints_) {
    auto connected = connect_and_greet(endpoint, Patience(kConnectTimeout, cancel_fd_));
    if (connected) return on_connected(connected->fd, std::move(connected->session));
    last = connected.error();
  }
  on_lost(last);
}

void Core::on_connected(int fd, SessionState state) {
  auto connection =
      Connection::create(loop_, fd, std::move(state), kMaxFrameBytes, kMaxQueuedBytes);
  {
    const std::lock_guard lock(mutex_);
    connection_ = connection;
  }
  auto self = shared_from_this();
  // on_connected must come before any frame, so it runs before start() begins to read.
  connection->run([self, connection] {
    {
      const std::shared_lock lock(self->gate_);
      if (self->is_closed_) return;
      if (self->handlers_.on_connected) self->handlers_.on_connected();
    }
    connection->start({.on_frame =
                           [self](std::string frame) {
                             const std::shared_lock lock(self->gate_);
                             if (self->is_closed_) return;
                             self->delay_ = self->retry_min_;  // the server answers, so it works
                             if (self->handlers_.on_frame)
                               self->handlers_.on_frame(std::move(frame));
                           },
                       .on_end = [self](const Error& why) { self->on_lost(why); }});
  });
}

// The delay is partly random, so that a thousand nodes do not all come back at the same moment.
void Core::on_lost(const Error& why) {
  {
    const std::lock_guard lock(mutex_);
    connection_ = nullptr;
  }
  {
    const std::shared_lock lock(gate_);
    if (is_closed_) return;
    if (handlers_.on_lost) handlers_.on_lost(why);
  }
  thread_local std::minstd_rand random{std::random_device{}()};
  const Millis delay = delay_ + Millis{random() % (static_cast<unsigned>(delay_.count()) / 4 + 1)};
  delay_ = std::min(delay_ * 2, retry_max_);
  loop_.after(delay, [self = shared_from_this()] {
    if (!self->is_closed_) self->dial();
  });
}

void Core::close() {
  is_closed_ = true;
  const std::uint64_t one = 1;
  CHECK(::write(cancel_fd_, &one, sizeof one) == sizeof one);
  // Queued frames are still sent. The end is no longer reported to anyone.
  if (const auto connection = current()) connection->close();
}

void Core::stop() {
  close();
  const std::unique_lock lock(gate_);
}

class AsyncDialer final : public Dialer {
 public:
  explicit AsyncDialer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~AsyncDialer() override { core_->stop(); }
  void send(std::string frame) override { core_->send(std::move(frame)); }
  void close() override { core_->close(); }

 private:
  const std::shared_ptr<Core> core_;
};

}  // namespace

std::unique_ptr<Dialer> Dialer::start(Loop& loop, std::vector<Endpoint> endpoints,
                                      Handlers handlers, Millis retry_min, Millis retry_max) {
  auto core =
      std::make_shared<Core>(loop, std::move(endpoints), std::move(handlers), retry_min, retry_max);
  core->dial();
  return std::make_unique<AsyncDialer>(std::move(core));
}

}  // namespace muster::io
