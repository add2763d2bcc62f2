// Session: one connection's bytes in both directions as frames, without a socket of its own. A
// frame is a big-endian u32 length and that many bytes; once a key is set, the bytes are sealed.
// The blocking Channel and the daemons' connections share it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/net/channel.h"
#include "io/net/seal.h"

namespace muster::io {

inline constexpr std::size_t kMaxHandshakeFrameBytes = 16u << 10;  // from peers nobody knows yet

class Session {
 public:
  Session(SessionState state, std::size_t max_frame_bytes);

  // From here on frames are sealed, numbered from 0 in each direction.
  void start_sealing(std::string key, bool is_server);
  void set_max_frame_bytes(std::size_t bytes) { max_frame_bytes_ = bytes; }
  void set_peer(Uid uid, Gid gid);
  Uid peer_uid() const { return state_.peer_uid; }

  // Reads once what the socket holds, without blocking; false = there was nothing.
  // The peer's orderly end is zero_bytes, one within a frame is a communication error.
  Result<bool> read_from(int fd);
  // The frame that comes next, once its length has been read: so far nothing is known to be right
  // with it.
  struct Upcoming {
    std::size_t bytes = 0;
    bool is_whole = false;
  };
  std::optional<Upcoming> upcoming() const;
  // The next whole frame that was read, if there is one.
  Result<std::optional<std::string>> next_frame();
  bool is_within_frame() const { return in_.size() > consumed_; }

  // REQUIRES: frame.size() <= kMaxFrameBytes.
  void queue(std::string_view frame);
  // Writes what the socket takes now, without blocking.
  Result<void> write_to(int fd);
  std::size_t queued_bytes() const { return queued_bytes_; }

  SessionState release();

 private:
  Direction outgoing() const;
  Direction incoming() const;
  void consume(std::size_t bytes);

  SessionState state_;  // its unread and unsent are kept in the members below while we hold it
  std::optional<Seal> seal_;
  std::size_t max_frame_bytes_;
  std::string in_;
  std::size_t consumed_ = 0;  // of in_
  std::deque<std::string> out_;
  std::size_t written_ = 0;  // of out_.front()
  std::size_t queued_bytes_ = 0;
};

}  // namespace muster::io
