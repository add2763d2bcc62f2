// Reads and writes a connection on a Loop. An idle connection holds no buffer. It is always known
// which bytes have been written; release() relies on that.
//
// Reading happens on the loop. Frames sent from the loop are written at the end of the round; other
// threads write at once, with out_mutex_ held. The two halves of the Session share nothing.
//
// Clients usually send their request with the connection, and ask only once. So a new connection is
// read right after accept, and registered with epoll only if it survives the round.
//
// While a connection is paused (Pause), nothing is read from it, and no frames are taken from its
// input. If its peer leaves, that is still noticed.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"
#include "io/net/loop_connection_parts.h"

namespace muster::io {

void LoopConnection::start(Handlers handlers) {
  if (is_done_) return;
  const auto reader = std::make_shared<Reader>(shared_from_this(), std::move(handlers));
  reader_ = reader;
  loop_.adopt(fd_, reader);
  loop_.flush_later(shared_from_this());
  reader->on_ready(EPOLLIN);
}

bool LoopConnection::watch_if_new() {
  const std::lock_guard lock(out_mutex_);
  if (is_watched_ || is_done_ || reader_.expired()) return true;
  awaits_writable_ = session_.queued_bytes() > 0;
  awaits_readable_ = paused_ == 0;
  return is_watched_ = loop_.enable(fd_, events_awaited());
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
      // First: what is queued is sent, even if memory runs out.
      if (loop_.is_here() && session_.queued_bytes() == 0) loop_.flush_later(shared_from_this());
      session_.queue(frame);
      count();
      if (!loop_.is_here()) trouble = write_queued();
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
    for (const Pause why : {Pause::turn, Pause::room, Pause::work}) self->resume(why);
    self->flush();
  });
}

void LoopConnection::finish() {
  {
    const std::lock_guard lock(out_mutex_);
    is_finishing_ = true;
  }
  if (!loop_.is_here())
    loop_.post([self = shared_from_this()] { self->flush(); });
  else if (unsent_bytes() == 0)  // otherwise it will be flushed anyway
    loop_.flush_later(shared_from_this());
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
  else if (!watch_if_new())
    end({ErrorCode::communication, "the system cannot watch it"});
}

std::optional<Error> LoopConnection::write_queued() {
  if (is_done_) return std::nullopt;
  const std::size_t before = session_.queued_bytes();
  if (before > 0)
    if (auto wrote = session_.write_to(fd_); !wrote) return wrote.error();
  count();
  if (is_much_unread_ && session_.queued_bytes() < kLittleQueued) {
    is_much_unread_ = false;
    loop_.post([self = shared_from_this()] { self->resume(Pause::output); });
  }
  if (!await_writable(session_.queued_bytes() > 0))
    return Error{ErrorCode::communication, "the system cannot watch it"};
  if (session_.queued_bytes() > 0) {
    if (session_.queued_bytes() < before) socket_awaited_.restart();
    socket_awaited_.begin();
  } else if (!is_closing_) {
    socket_awaited_.end();
  } else if (!std::exchange(is_shut_, true)) {
    // If the peer is still sending, a plain close would reset the connection, and our last frames
    // might be lost. So we close our half, and read and discard until the peer closes its own.
    ::shutdown(fd_, SHUT_WR);
  }
  return std::nullopt;
}

std::uint32_t LoopConnection::events_awaited() const {
  return (awaits_readable_ ? std::uint32_t{EPOLLIN} : std::uint32_t{EPOLLRDHUP}) |
         (awaits_writable_ ? std::uint32_t{EPOLLOUT} : 0u);
}

bool LoopConnection::await_writable(bool is_awaited) {
  if (!is_watched_) return true;  // watch_if_new() will ask for it
  if (std::exchange(awaits_writable_, is_awaited) == is_awaited) return true;
  return loop_.set_events(fd_, events_awaited());
}

void LoopConnection::read(Reader& reader) {
  if (is_done_) return;
  pause_if_unread();
  if (paused_ != 0) return on_paused_ready(0);
  if (auto got = session_.read_from(fd_); !got) return end(got.error());
  deliver(reader.handlers);
}

// After close() frames are still parsed, so that the buffer stays small, but they are discarded.
void LoopConnection::deliver(const Handlers& handlers) {
  while (!is_done_ && paused_ == 0) {
    if (!is_closing_ && !may_take(handlers)) break;
    auto frame = session_.next_frame();
    if (!frame) return end(frame.error());
    if (!*frame) break;
    rest_awaited_.end();
    frame_awaited_.restart();
    if (is_closing_) continue;
    if (handlers.on_frame) handlers.on_frame(std::move(**frame));
    pause_if_unread();
  }
  if (!is_done_ && paused_ == 0 && session_.is_within_frame()) rest_awaited_.begin();
}

void LoopConnection::end(Error why) {
  {
    const std::lock_guard lock(out_mutex_);
    if (is_done_.exchange(true)) return;
    count();
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
  if (is_done_.exchange(true)) return {-1, {}};
  count();
  loop_.unwatch(fd_);
  return {fd_, session_.release()};
}

std::shared_ptr<Connection> Connection::create(Loop& loop, int fd, SessionState state,
                                               std::size_t max_frame_bytes,
                                               std::size_t max_queued_bytes) {
  return std::make_shared<LoopConnection>(loop, fd, std::move(state), max_frame_bytes,
                                          max_queued_bytes);
}

}  // namespace muster::io
