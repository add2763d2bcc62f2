// Pauses and resumes reading from a connection.
#include <utility>

#include "base/check.h"
#include "io/net/loop_connection_parts.h"

namespace muster::io {

namespace {

// A peer that does not read its answers is paused when this much is queued; see kLittleQueued.
constexpr std::size_t kMuchQueued = 1u << 20;

}  // namespace

void LoopConnection::pause(Pause why) {
  CHECK(loop_.is_here());
  paused_ |= static_cast<std::uint8_t>(why);
  rest_awaited_.end();  // the peer is not to blame for the wait
}

void LoopConnection::resume(Pause why) {
  CHECK(loop_.is_here());
  const std::uint8_t before = paused_;
  paused_ &= static_cast<std::uint8_t>(~static_cast<std::uint8_t>(why));
  const auto reader = reader_.lock();
  if (before == 0 || paused_ != 0 || is_done_ || !reader) return;
  reader->deliver_rest();
  if (paused_ != 0 || is_done_) return;
  bool is_watched = false;
  {
    const std::lock_guard lock(out_mutex_);
    is_watched = await_readable(true);
  }
  if (!is_watched) end({ErrorCode::communication, "the system cannot watch it"});
}

// Called when a paused connection becomes ready. epoll is level-triggered, so stop waiting for
// input; otherwise it would report the connection in every round.
void LoopConnection::on_paused_ready(std::uint32_t events) {
  if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) return end({ErrorCode::zero_bytes, {}});
  bool is_watched = false;
  {
    const std::lock_guard lock(out_mutex_);
    is_watched = await_readable(false);
  }
  if (!is_watched) end({ErrorCode::communication, "the system cannot watch it"});
}

void LoopConnection::count_queued(std::shared_ptr<QueuedBytes> queued) {
  const std::lock_guard lock(out_mutex_);
  counter_ = std::move(queued);
  count();
}

void LoopConnection::count() {
  if (!counter_) return;
  const std::size_t queued = is_done_ ? 0 : session_.queued_bytes();
  const std::size_t change = queued - counted_;  // may wrap around, and so do the sums
  counted_ = queued;
  if (change == 0) return;
  counter_->own += change;
  *counter_->all += change;
}

bool LoopConnection::await_readable(bool is_awaited) {
  if (!is_watched_) return true;
  if (std::exchange(awaits_readable_, is_awaited) == is_awaited) return true;
  return loop_.set_events(fd_, events_awaited());
}

void LoopConnection::pause_if_unread() {
  if (!pauses_when_unread_) return;
  {
    const std::lock_guard lock(out_mutex_);
    if (is_closing_ || session_.queued_bytes() <= kMuchQueued) return;
    is_much_unread_ = true;
  }
  pause(Pause::output);
}

bool LoopConnection::may_take(const Handlers& handlers) {
  const auto next = handlers.may_take ? session_.upcoming() : std::nullopt;
  return !next || handlers.may_take(next->bytes, next->is_whole);
}

}  // namespace muster::io
