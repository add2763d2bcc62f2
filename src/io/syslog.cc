// See syslog.h. The lines are RFC 3164's, as syslog(3) writes them; that function itself waits
// where the reader is slow.
#include "io/syslog.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "io/log_line.h"

namespace muster::io {

void Syslog::set_socket(std::string path) {
  const std::lock_guard lock(mutex_);
  if (path == path_) return;
  path_ = std::move(path);
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool Syslog::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) return false;
  std::ranges::copy(path_, address.sun_path);
  fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return false;
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  ::close(std::exchange(fd_, -1));
  return false;
}

// A restarted reader has a new socket: the old connection is refused then.
void Syslog::send(int severity, std::string_view program, std::string_view text) {
  const std::string line = fmt::format(
      "<{}>{} {}[{}]: {}", LOG_DAEMON | severity,
      log_time(LogTime::month_day, std::chrono::system_clock::now()), program, getpid(), text);
  const std::lock_guard lock(mutex_);
  for (int tries = 0; tries < 2; ++tries) {
    if (fd_ < 0 && !connect()) return;
    if (::send(fd_, line.data(), line.size(), MSG_NOSIGNAL) >= 0 || errno == EAGAIN) return;
    ::close(std::exchange(fd_, -1));
  }
}

}  // namespace muster::io
