// Connecting and shaking hands as a client, blocking. Channel::connect and the Dialer share it.
#pragma once

#include <chrono>
#include <utility>

#include "base/result.h"
#include "io/net/channel.h"

namespace muster::io {

// How long a blocking call may take. `cancel_fd`, where given, ends the wait when it becomes
// readable.
class Patience {
 public:
  explicit Patience(Millis timeout, int cancel_fd = -1);
  // Waits until fd is ready for `events` of poll(2); timed_out when the time is over.
  Result<void> await(int fd, short events) const;
  Millis left() const;  // Millis::max() = for ever

 private:
  std::chrono::steady_clock::time_point end_;
  bool is_endless_;
  int cancel_fd_;
};

// A connected socket (non-blocking, close-on-exec) and how to go on with it.
struct Connected {
  int fd = -1;
  SessionState session;
  // Over a Unix socket nothing in our part of the greeting depends on the server's, so we need not
  // wait for that: it comes as the first frame, for check_greeting().
  bool greeting_due = false;
};
Result<Connected> connect_to(const Endpoint& endpoint, const Patience& patience);

// The same, with the server's greeting read and checked.
Result<Connected> connect_and_greet(const Endpoint& endpoint, const Patience& patience);

// What became of the first frame: a server that is not the one we mean, or none at all, is an
// error.
Result<void> check_greeting(const Result<std::string>& frame, const Endpoint& endpoint);

// Small messages go out at once, and a peer whose machine died is noticed within minutes.
void set_tcp_options(int fd);

}  // namespace muster::io
