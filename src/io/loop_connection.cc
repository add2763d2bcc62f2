// See loop_connection.h. Asio tells when a socket is ready; reading and writing are the Session's.
// So an idle connection holds no buffer, and at every moment it is known which bytes went out: that
// is what release() relies on.
//
// Reading happens on the strand. Writing happens on whichever thread has something to send, under
// out_mutex_: the Session's two halves share nothing. Only a socket that takes no more is left to
// the strand, which waits for it; and the thread of a loop that drains writes once it has drained.
#include "io/loop_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "io/loop_impl.h"

namespace muster::io {

namespace asio = boost::asio;

namespace {

using Descriptor =
    asio::posix::basic_stream_descriptor<asio::strand<asio::io_context::executor_type>>;
using ErrorCodeOf = boost::system::error_code;

std::int64_t now_ms() {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A moment since when something is awaited; 0 = it is not.
class Since {
 public:
  void begin() {
    if (at_.load(std::memory_order_relaxed) == 0) at_.store(now_ms(), std::memory_order_relaxed);
  }
  void restart() { at_.store(now_ms(), std::memory_order_relaxed); }
  void end() { at_.store(0, std::memory_order_relaxed); }
  Millis elapsed() const {
    const std::int64_t at = at_.load(std::memory_order_relaxed);
    return Millis{at == 0 ? 0 : now_ms() - at};
  }

 private:
  std::atomic<std::int64_t> at_{0};
};

class AsioConnection final : public Connection,
                             public Unsent,
                             public std::enable_shared_from_this<AsioConnection> {
 public:
  AsioConnection(Loop& loop, int fd, SessionState state, std::size_t max_frame_bytes,
                 std::size_t max_queued_bytes)
      : loop_(loop.impl()),
        strand_(asio::make_strand(loop_.context)),
        max_queued_bytes_(max_queued_bytes),
        session_(std::move(state), max_frame_bytes),
        descriptor_(strand_, fd) {
    frame_awaited_.restart();
  }

  // Not at once: whoever accepted the connection goes on to the next one first.
  void start(Handlers handlers) override {
    asio::post(strand_, [self = shared_from_this(), handlers = std::move(handlers)]() mutable {
      asio::co_spawn(self->strand_, self->read(self, std::move(handlers)), asio::detached);
    });
  }

  void send(std::string frame) override;
  void close() override;
  void abort(Error why) override {
    asio::dispatch(strand_, [self = shared_from_this(), why = std::move(why)] { self->end(why); });
  }
  void run(std::function<void()> work) override { asio::dispatch(strand_, std::move(work)); }
  Waiting waiting() const override {
    return {frame_awaited_.elapsed(), rest_awaited_.elapsed(), socket_awaited_.elapsed()};
  }
  Session& session() override { return session_; }
  std::pair<int, SessionState> release() override;

 private:
  asio::awaitable<void> read(std::shared_ptr<AsioConnection> self, Handlers handlers);
  void deliver(const Handlers& handlers);
  void set_delivering(bool delivering) {
    const std::lock_guard lock(out_mutex_);
    is_delivering_ = delivering;
  }
  void flush() override;
  std::optional<Error> write_queued();  // with out_mutex_ held; an error ends the connection
  void await_writable();
  void end(Error why);

  Loop::Impl& loop_;
  const asio::strand<asio::io_context::executor_type> strand_;
  const std::size_t max_queued_bytes_;
  Session session_;  // its outgoing half: with out_mutex_ held
  bool is_released_ = false;
  Error why_done_;
  Since frame_awaited_, rest_awaited_, socket_awaited_;

  std::mutex out_mutex_;  // guards what follows; all but the first two change on the strand only
  bool awaits_writable_ = false;
  bool is_shut_ = false;
  bool is_delivering_ = false;  // frames to the peer whose frames are being handled share a write
  bool is_closing_ = false;
  bool is_done_ = false;
  Descriptor descriptor_;
};

void AsioConnection::send(std::string frame) {
  if (frame.size() > kMaxFrameBytes)
    return abort({ErrorCode::too_large, "a message to it is too large"});
  std::optional<Error> trouble;
  {
    const std::lock_guard lock(out_mutex_);
    if (is_done_ || is_closing_) return;
    if (session_.queued_bytes() + frame.size() > max_queued_bytes_) {
      trouble = {ErrorCode::too_large, "it does not read what is sent to it"};
    } else {
      const bool is_first = session_.queued_bytes() == 0;
      session_.queue(frame);
      if (loop_.collects_here()) {
        if (is_first) loop_.unsent.push_back(shared_from_this());
      } else if (!is_delivering_) {
        trouble = write_queued();
      }
    }
  }
  if (trouble) abort(std::move(*trouble));
}

void AsioConnection::close() {
  asio::post(strand_, [self = shared_from_this()] {
    {
      const std::lock_guard lock(self->out_mutex_);
      self->is_closing_ = true;
    }
    self->socket_awaited_.begin();
    self->flush();
  });
}

void AsioConnection::flush() {
  std::optional<Error> trouble;
  {
    const std::lock_guard lock(out_mutex_);
    trouble = write_queued();
  }
  if (trouble) end(std::move(*trouble));
}

std::optional<Error> AsioConnection::write_queued() {
  if (is_done_) return std::nullopt;
  const std::size_t before = session_.queued_bytes();
  if (before > 0)
    if (auto wrote = session_.write_to(descriptor_.native_handle()); !wrote) return wrote.error();
  if (session_.queued_bytes() > 0) {
    if (session_.queued_bytes() < before) socket_awaited_.restart();
    socket_awaited_.begin();
    await_writable();
  } else if (!is_closing_) {
    socket_awaited_.end();
  } else if (!std::exchange(is_shut_, true)) {
    // A plain close would reset the connection if the peer is still sending, and what we sent might
    // be lost with it: so we end our half and read on, without looking, until the peer ends its
    // own.
    ::shutdown(descriptor_.native_handle(), SHUT_WR);
  }
  return std::nullopt;
}

// The descriptor's waits belong on the strand.
void AsioConnection::await_writable() {
  if (std::exchange(awaits_writable_, true)) return;
  asio::post(strand_, [self = shared_from_this()] {
    if (self->is_done_) return;
    self->descriptor_.async_wait(Descriptor::wait_write, [self](const ErrorCodeOf& error) {
      {
        const std::lock_guard lock(self->out_mutex_);
        self->awaits_writable_ = false;
      }
      if (!error) self->flush();
    });
  });
}

// The coroutine owns the handlers, and with them whatever they own: when the loop is destroyed, it
// and all of them go too. Its first parameter keeps the connection alive as long as it waits.
asio::awaitable<void> AsioConnection::read([[maybe_unused]] std::shared_ptr<AsioConnection> self,
                                           Handlers handlers) {
  flush();
  deliver(handlers);
  for (bool waits = false; !is_done_; waits = true) {
    ErrorCodeOf error;
    if (waits)  // a peer that connects has mostly spoken already
      co_await descriptor_.async_wait(Descriptor::wait_read,
                                      asio::redirect_error(asio::use_awaitable, error));
    if (is_done_) break;
    if (error) {
      end(Error{ErrorCode::communication, error.message()});
    } else if (auto got = session_.read_from(descriptor_.native_handle()); !got) {
      end(got.error());
    } else {
      deliver(handlers);
    }
  }
  if (!is_released_ && handlers.on_end) handlers.on_end(why_done_);
}

// After close() frames are still taken apart, so that the buffer stays small, but nobody sees them.
void AsioConnection::deliver(const Handlers& handlers) {
  set_delivering(true);
  while (!is_done_) {
    auto frame = session_.next_frame();
    if (!frame) return end(frame.error());
    if (!*frame) break;
    rest_awaited_.end();
    frame_awaited_.restart();
    if (!is_closing_ && handlers.on_frame) handlers.on_frame(std::move(**frame));
  }
  set_delivering(false);
  if (!loop_.collects_here()) flush();
  if (!is_done_ && session_.is_within_frame()) rest_awaited_.begin();
}

// Closing the descriptor wakes the coroutine, which then calls on_end: never from within on_frame.
void AsioConnection::end(Error why) {
  const std::lock_guard lock(out_mutex_);
  if (std::exchange(is_done_, true)) return;
  why_done_ = std::move(why);
  ErrorCodeOf ignored;
  descriptor_.close(ignored);
}

std::pair<int, SessionState> AsioConnection::release() {
  CHECK(strand_.running_in_this_thread());
  flush();
  const std::lock_guard lock(out_mutex_);
  if (is_done_) return {-1, {}};
  is_done_ = is_released_ = true;
  const int fd = descriptor_.release();
  return {fd, session_.release()};
}

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// Accepts at most so many in a row before others get their turn on the thread.
constexpr int kAcceptBurst = 64;
constexpr Millis kShortagePause{100};

asio::awaitable<void> listen_on(std::shared_ptr<Descriptor> descriptor, ListenerHandlers handlers) {
  asio::steady_timer pause(descriptor->get_executor());
  for (;;) {
    ErrorCodeOf error;
    co_await descriptor->async_wait(Descriptor::wait_read,
                                    asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    int why = 0;
    for (int i = 0; i < kAcceptBurst && why == 0; ++i) {
      const int fd =
          ::accept4(descriptor->native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0)
        handlers.on_accept(fd);
      else
        why = errno;
    }
    if (why == EINVAL || why == EBADF) co_return;  // shut down
    if (!is_shortage(why)) continue;               // nothing more now, or a peer that left again
    handlers.on_trouble(std::strerror(why));
    pause.expires_after(kShortagePause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace

std::shared_ptr<Connection> Connection::create(Loop& loop, int fd, SessionState state,
                                               std::size_t max_frame_bytes,
                                               std::size_t max_queued_bytes) {
  return std::make_shared<AsioConnection>(loop, fd, std::move(state), max_frame_bytes,
                                          max_queued_bytes);
}

void start_listener(Loop& loop, int listening_fd, ListenerHandlers handlers) {
  auto strand = asio::make_strand(loop.impl().context);
  auto descriptor = std::make_shared<Descriptor>(strand, listening_fd);
  asio::co_spawn(strand, listen_on(std::move(descriptor), std::move(handlers)), asio::detached);
}

}  // namespace muster::io
