// Session: turns a connection's bytes into frames, in both directions. It does not own the socket.
// A frame is a big-endian u32 length and that many bytes; once a key is set, the bytes are sealed.
// Used by the blocking Channel and by the daemons' connections.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/containers/secret.h"
#include "base/result.h"
#include "io/net/channel.h"
#include "io/net/seal.h"

namespace muster::io {

inline constexpr std::size_t kMaxHandshakeFrameBytes = 16u << 10;  // before authentication

class Session {
 public:
  Session(SessionState state, std::size_t max_frame_bytes);

  // From now on frames are sealed, and numbered from 0 in each direction.
  void start_sealing(Secret key, bool is_server);
  void set_max_frame_bytes(std::size_t bytes) { max_frame_bytes_ = bytes; }
  void set_peer(Uid uid, Gid gid);
  Uid peer_uid() const { return state_.peer_uid; }

  // Reads from the socket once, without blocking; false = there was nothing to read. If the peer
  // has closed the connection, the error is zero_bytes; in the middle of a frame it is
  // communication.
  Result<bool> read_from(int fd);
  // The next frame, once its length has been read. Nothing about it has been verified yet.
  struct Upcoming {
    std::size_t bytes = 0;
    bool is_whole = false;
  };
  std::optional<Upcoming> upcoming() const;
  // Takes the next whole frame out of the input, if there is one.
  Result<std::optional<std::string>> next_frame();
  bool is_within_frame() const { return in_.size() > consumed_; }

  // Requires frame.size() <= kMaxFrameBytes.
  void queue(std::string_view frame);
  // Writes as much as the socket takes now, without blocking.
  Result<void> write_to(int fd);
  std::size_t queued_bytes() const { return queued_bytes_; }

  SessionState release();

 private:
  Direction outgoing() const;
  Direction incoming() const;
  void consume(std::size_t bytes);

  SessionState state_;  // `unread` and `unsent` are empty: the members below hold them
  std::optional<Seal> seal_;
  std::size_t max_frame_bytes_;
  std::string in_;
  std::size_t consumed_ = 0;  // of in_
  std::deque<std::string> out_;
  std::size_t written_ = 0;  // of out_.front()
  std::size_t queued_bytes_ = 0;
};

}  // namespace muster::io
