// See loop_connection.h. An idle connection holds no buffer, and at every moment it is known which
// bytes went out: that is what release() relies on.
//
// Reading happens on the loop. What is sent there leaves when the round is over; other threads
// write at once, under out_mutex_: the Session's two halves share nothing.
//
// Whoever is accepted has mostly spoken already, and many only ask one thing. So a new connection
// is read at once, and the system is asked to watch it when the round is over: often it is then,
// too.
#include "io/loop_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"

namespace muster::io {

namespace {

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

class LoopConnection final : public Connection,
                             public Unsent,
                             public std::enable_shared_from_this<LoopConnection> {
 public:
  LoopConnection(Loop& loop, int fd, SessionState state, std::size_t max_frame_bytes,
                 std::size_t max_queued_bytes)
      : loop_(loop),
        max_queued_bytes_(max_queued_bytes),
        session_(std::move(state), max_frame_bytes),
        fd_(fd) {
    frame_awaited_.restart();
  }
  ~LoopConnection() override {
    if (!is_done_) ::close(fd_);
  }
  LoopConnection(const LoopConnection&) = delete;
  LoopConnection& operator=(const LoopConnection&) = delete;

  void start(Handlers handlers) override;
  void send(std::string frame) override;
  std::size_t unsent_bytes() const override {
    const std::lock_guard lock(out_mutex_);
    return session_.queued_bytes();
  }
  void close() override;
  void finish() override;
  void abort(Error why) override {
    if (loop_.is_here()) return end(std::move(why));
    loop_.post([self = shared_from_this(), why = std::move(why)] { self->end(why); });
  }
  void run(std::function<void()> work) override { loop_.post(std::move(work)); }
  Waiting waiting() const override {
    return {frame_awaited_.elapsed(), rest_awaited_.elapsed(), socket_awaited_.elapsed()};
  }
  Session& session() override { return session_; }
  std::pair<int, SessionState> release() override;

 private:
  class Reader;

  void read(Reader& reader);
  void deliver(const Handlers& handlers);
  void flush() override;
  std::optional<Error> write_queued();  // with out_mutex_ held; an error ends the connection
  void await_writable(bool is_awaited);
  void watch_if_new();
  void end(Error why);

  Loop& loop_;
  const std::size_t max_queued_bytes_;
  Session session_;  // its outgoing half: with out_mutex_ held
  std::weak_ptr<Reader> reader_;
  Since frame_awaited_, rest_awaited_, socket_awaited_;

  mutable std::mutex
      out_mutex_;  // guards what follows; all but the first two change on the loop only
  bool awaits_writable_ = false;
  bool is_watched_ = false;
  bool is_shut_ = false;
  bool is_closing_ = false;
  bool is_finishing_ = false;
  bool is_done_ = false;
  const int fd_;
};

// What the loop holds as long as the socket is open. It owns the handlers, and with them whatever
// they own: when the loop is destroyed, they go too.
class LoopConnection::Reader final : public Watched, public std::enable_shared_from_this<Reader> {
 public:
  Reader(std::shared_ptr<LoopConnection> connection, Handlers handlers)
      : handlers(std::move(handlers)), connection_(std::move(connection)) {}

  void on_ready(std::uint32_t events) override {
    is_reading_ = true;
    if (events & EPOLLOUT) connection_->flush();
    if (events & ~static_cast<std::uint32_t>(EPOLLOUT)) connection_->read(*this);
    is_reading_ = false;
    if (why_over_) tell_end();
  }

  // The handler is never called from within another one.
  void on_over(Error why) {
    why_over_ = std::move(why);
    if (!is_reading_) connection_->loop_.post([self = shared_from_this()] { self->tell_end(); });
  }

  const Handlers handlers;

 private:
  void tell_end() {
    if (handlers.on_end) handlers.on_end(*why_over_);
  }

  const std::shared_ptr<LoopConnection> connection_;
  bool is_reading_ = false;
  std::optional<Error> why_over_;
};

void LoopConnection::start(Handlers handlers) {
  if (is_done_) return;
  const auto reader = std::make_shared<Reader>(shared_from_this(), std::move(handlers));
  reader_ = reader;
  loop_.hold(fd_, reader);
  loop_.flush_later(shared_from_this());
  reader->on_ready(EPOLLIN);
}

void LoopConnection::watch_if_new() {
  const std::lock_guard lock(out_mutex_);
  if (is_watched_ || is_done_ || reader_.expired()) return;
  is_watched_ = true;
  awaits_writable_ = session_.queued_bytes() > 0;
  loop_.watch_held(fd_, awaits_writable_ ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void LoopConnection::send(std::string frame) {
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
      if (!loop_.is_here())
        trouble = write_queued();
      else if (is_first)
        loop_.flush_later(shared_from_this());
    }
  }
  if (trouble) abort(std::move(*trouble));
}

void LoopConnection::close() {
  loop_.post([self = shared_from_this()] {
    {
      const std::lock_guard lock(self->out_mutex_);
      self->is_closing_ = true;
    }
    self->socket_awaited_.begin();
    self->flush();
  });
}

void LoopConnection::finish() {
  {
    const std::lock_guard lock(out_mutex_);
    is_finishing_ = true;
  }
  if (loop_.is_here())
    loop_.flush_later(shared_from_this());
  else
    loop_.post([self = shared_from_this()] { self->flush(); });
}

void LoopConnection::flush() {
  std::optional<Error> trouble;
  {
    const std::lock_guard lock(out_mutex_);
    trouble = write_queued();
    if (!trouble && is_finishing_ && session_.queued_bytes() == 0)
      trouble = Error{ErrorCode::zero_bytes, {}};
  }
  if (trouble)
    end(std::move(*trouble));
  else
    watch_if_new();
}

std::optional<Error> LoopConnection::write_queued() {
  if (is_done_) return std::nullopt;
  const std::size_t before = session_.queued_bytes();
  if (before > 0)
    if (auto wrote = session_.write_to(fd_); !wrote) return wrote.error();
  await_writable(session_.queued_bytes() > 0);
  if (session_.queued_bytes() > 0) {
    if (session_.queued_bytes() < before) socket_awaited_.restart();
    socket_awaited_.begin();
  } else if (!is_closing_) {
    socket_awaited_.end();
  } else if (!std::exchange(is_shut_, true)) {
    // A plain close would reset the connection if the peer is still sending, and what we sent might
    // be lost with it: so we end our half and read on, without looking, until the peer ends its
    // own.
    ::shutdown(fd_, SHUT_WR);
  }
  return std::nullopt;
}

void LoopConnection::await_writable(bool is_awaited) {
  if (!is_watched_) return;  // start() looks
  if (std::exchange(awaits_writable_, is_awaited) != is_awaited)
    loop_.watch_for(fd_, is_awaited ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void LoopConnection::read(Reader& reader) {
  if (is_done_) return;
  if (auto got = session_.read_from(fd_); !got) return end(got.error());
  deliver(reader.handlers);
}

// After close() frames are still taken apart, so that the buffer stays small, but nobody sees them.
void LoopConnection::deliver(const Handlers& handlers) {
  while (!is_done_) {
    auto frame = session_.next_frame();
    if (!frame) return end(frame.error());
    if (!*frame) break;
    rest_awaited_.end();
    frame_awaited_.restart();
    if (!is_closing_ && handlers.on_frame) handlers.on_frame(std::move(**frame));
  }
  if (!is_done_ && session_.is_within_frame()) rest_awaited_.begin();
}

void LoopConnection::end(Error why) {
  {
    const std::lock_guard lock(out_mutex_);
    if (std::exchange(is_done_, true)) return;
  }
  if (const auto reader = reader_.lock()) {
    loop_.unwatch(fd_);
    reader->on_over(std::move(why));
  }
  ::close(fd_);
}

std::pair<int, SessionState> LoopConnection::release() {
  CHECK(loop_.is_here());
  flush();
  const std::lock_guard lock(out_mutex_);
  if (std::exchange(is_done_, true)) return {-1, {}};
  loop_.unwatch(fd_);
  return {fd_, session_.release()};
}

}  // namespace

std::shared_ptr<Connection> Connection::create(Loop& loop, int fd, SessionState state,
                                               std::size_t max_frame_bytes,
                                               std::size_t max_queued_bytes) {
  return std::make_shared<LoopConnection>(loop, fd, std::move(state), max_frame_bytes,
                                          max_queued_bytes);
}

}  // namespace muster::io
