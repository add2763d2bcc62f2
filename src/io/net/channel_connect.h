// channel_connect: connects and does the handshake as a client, blocking. Used by Channel::connect
// and by the Dialer.
#pragma once

#include <chrono>
#include <utility>

#include "base/result.h"
#include "io/net/channel.h"

namespace muster::io {

// The time limit of a blocking call. If `cancel_fd` is given, the wait also ends when that becomes
// readable.
class Patience {
 public:
  explicit Patience(Millis timeout, int cancel_fd = -1);
  // Waits until fd is ready for `events` of poll(2). Fails with timed_out when the time is over.
  Result<void> await(int fd, short events) const;
  Millis left() const;  // Millis::max() = forever

 private:
  std::chrono::steady_clock::time_point end_;
  bool is_endless_;
  int cancel_fd_;
};

// A connected socket (non-blocking, close-on-exec) and its state.
struct Connected {
  int fd = -1;
  SessionState session;
  // Over a Unix socket our hello does not depend on the server's, so we do not wait for that. It
  // comes as the first frame, and has to be passed to check_greeting().
  bool greeting_due = false;
};
Result<Connected> connect_to(const Endpoint& endpoint, const Patience& patience);

// The same, but also reads and checks the server's greeting.
Result<Connected> connect_and_greet(const Endpoint& endpoint, const Patience& patience);

// Checks the server's greeting. Fails if none came, or if it is not the server that we mean.
Result<void> check_greeting(const Result<std::string>& frame, const Endpoint& endpoint);

// Sends small messages at once, and detects within minutes that the peer's machine has died.
void set_tcp_options(int fd);

}  // namespace muster::io
