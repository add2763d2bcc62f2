// Channel: one authenticated, blocking connection, for commands and for steps. Frames have a length
// prefix. Over TCP they are sealed with a key agreed in the handshake; over a Unix socket they are
// plain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/secret.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace muster::io {

inline constexpr std::size_t kMaxFrameBytes = 64u << 20;

// The role of a peer: a client with requests, or a node with reports.
enum class PeerRole : std::uint8_t { client, node };

// Where a server listens, and the identity that it must prove.
struct Endpoint {
  std::string unix_path;  // tried first if set
  std::string host;
  std::uint16_t port = 0;
  std::optional<Uid> server_uid;     // the server must run as this uid or root
  bool use_munge = true;             // false: use the Unix socket only
  std::string server_name;           // the server must have this name; empty = any
  std::string munge_socket;          // empty = munge's own default
  std::string client_name;           // a daemon's name, for the log if its clock is refused
  PeerRole role = PeerRole::client;  // our own role
};

// Everything that another process needs to continue a connection, for example when slurmd hands a
// socket to a step.
struct SessionState {
  Secret key;  // empty = frames are plain
  std::uint64_t sent = 0, received = 0;
  bool is_server = false;
  std::string unread;  // bytes read from the socket but not consumed
  std::string unsent;  // bytes of sealed frames that are not written yet
  Uid peer_uid;        // as verified when the connection was made
  Gid peer_gid;
  template <class V>
  void fields(V& v) {
    v(1, key);
    v(2, sent);
    v(3, received);
    v(4, is_server);
    v(5, unread);
    v(6, unsent);
    v(7, peer_uid);
    v(8, peer_gid);
  }
};

class Channel {
 public:
  static Result<Channel> connect(const Endpoint& endpoint, Millis timeout);
  Channel(int fd, SessionState session);  // takes the fd over
  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;
  ~Channel();

  int fd() const;
  Uid peer_uid() const;

  Result<void> send(std::string_view frame);
  // Waits for a whole frame; Millis::max() = forever. If the peer closes the connection in order,
  // the error is zero_bytes.
  Result<std::string> receive(Millis timeout);

  // For poll loops: reads without blocking. nullopt = no whole frame yet.
  Result<std::optional<std::string>> try_receive();
  // Queues a frame; try_flush() writes what the socket takes. A frame above kMaxFrameBytes is not
  // queued; from then on try_flush() and receive() fail with too_large.
  void queue(std::string_view frame);
  Result<void> try_flush();
  std::size_t queued_bytes() const;

  // Hands the socket and its state to the caller.
  std::pair<int, SessionState> release();

 private:
  Result<std::string> receive_any(Millis timeout);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::io
