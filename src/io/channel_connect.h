// Connecting and shaking hands as a client, blocking. Channel::connect and the Dialer share it.
#pragma once

#include <chrono>
#include <utility>

#include "base/result.h"
#include "io/channel.h"

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

// The connected socket (non-blocking, close-on-exec) and how to go on with it.
Result<std::pair<int, SessionState>> connect_to(const Endpoint& endpoint, const Patience& patience);

// Small messages go out at once, and a peer whose machine died is noticed within minutes.
void set_tcp_options(int fd);

}  // namespace muster::io
