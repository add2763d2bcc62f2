// LoopConnection: implements Connection. Reading and writing is in loop_connection.cc, pausing in
// loop_connection_pause.cc.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "io/net/loop_connection.h"

namespace muster::io {

// A peer that was paused because it did not read (Pause::output) is resumed when only this is
// queued.
inline constexpr std::size_t kLittleQueued = 256u << 10;

inline std::int64_t now_ms() {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Measures how long something has been awaited. 0 = it is not awaited.
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
                             public Flushable,
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
  bool is_over() const override { return is_done_; }
  void pause(Pause why) override;
  void resume(Pause why) override;
  bool is_paused() const override { return paused_ != 0; }
  void count_queued(std::shared_ptr<QueuedBytes> queued) override;
  void pause_when_unread() override { pauses_when_unread_ = true; }
  Session& session() override { return session_; }
  std::pair<int, SessionState> release() override;

 private:
  class Reader;

  void read(Reader& reader);
  void on_paused_ready(std::uint32_t events);
  void deliver(const Handlers& handlers);
  bool may_take(const Handlers& handlers);
  void pause_if_unread();
  void flush() override;
  // The next ones require that out_mutex_ is held. An error ends the connection.
  std::optional<Error> write_queued();
  [[nodiscard]] bool await_writable(bool is_awaited);
  [[nodiscard]] bool await_readable(bool is_awaited);
  std::uint32_t events_awaited() const;
  void count();
  bool watch_if_new();
  void end(Error why);

  Loop& loop_;
  const std::size_t max_queued_bytes_;
  Session session_;  // its outgoing half needs out_mutex_
  std::weak_ptr<Reader> reader_;
  Since frame_awaited_, rest_awaited_, socket_awaited_;
  std::uint8_t paused_ = 0;  // reasons of Pause; on the loop only
  bool pauses_when_unread_ = false;

  mutable std::mutex
      out_mutex_;  // guards the members below; all but the first four change on the loop only
  std::shared_ptr<QueuedBytes> counter_;
  std::size_t counted_ = 0;  // queued bytes that counter_ knows of
  bool awaits_writable_ = false;
  bool is_much_unread_ = false;  // Pause::output
  bool awaits_readable_ = true;
  bool is_watched_ = false;
  bool is_shut_ = false;
  bool is_closing_ = false;
  bool is_finishing_ = false;
  std::atomic<bool> is_done_ = false;
  const int fd_;
};

// The loop holds this object while the socket is open. It owns the handlers, so when the loop is
// destroyed, they and all that they own are destroyed too.
class LoopConnection::Reader final : public FdHandler, public std::enable_shared_from_this<Reader> {
 public:
  Reader(std::shared_ptr<LoopConnection> connection, Handlers handlers)
      : handlers(std::move(handlers)), connection_(std::move(connection)) {}

  void on_ready(std::uint32_t events) override {
    guarded([&] {
      if (events & EPOLLOUT) connection_->flush();
      if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
      if (connection_->paused_ != 0)
        connection_->on_paused_ready(events);
      else
        connection_->read(*this);
    });
  }

  // Delivers what was read before a pause.
  void deliver_rest() {
    guarded([&] { connection_->deliver(handlers); });
  }

  // on_end is never called from within another handler. This needs no memory: nobody would tell of
  // the end again.
  void on_over(Error why) {
    why_over_ = std::move(why);
    if (is_reading_) return;
    self_ = shared_from_this();
    connection_->loop_.post_prepared(report_);
  }

  const Handlers handlers;

 private:
  // What a peer sends may be more than there is memory for: then it goes, and nothing else.
  template <class Read>
  void guarded(Read&& read) {
    is_reading_ = true;
    try {
      read();
    } catch (const std::bad_alloc&) {
      connection_->end({ErrorCode::too_large, {}});
    }
    is_reading_ = false;
    if (why_over_) report_end();
  }
  void report_end() {
    const auto self = std::exchange(self_, nullptr);
    if (const auto why = std::exchange(why_over_, std::nullopt); why && handlers.on_end)
      handlers.on_end(*why);
  }

  const std::shared_ptr<LoopConnection> connection_;
  bool is_reading_ = false;
  std::optional<Error> why_over_;
  std::shared_ptr<Reader> self_;  // until the end is reported
  std::list<std::function<void()>> report_{[this] { report_end(); }};
};

}  // namespace muster::io
