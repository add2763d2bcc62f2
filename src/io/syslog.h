// Syslog: the machine's log, which is journald's on most. A line that it does not take at once is
// left out: the daemon waits for nobody.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace muster::io {

class Syslog {
 public:
  static constexpr std::string_view kSocket = "/dev/log";

  void set_socket(std::string path);
  // `severity` as in syslog(3), of facility daemon.
  void send(int severity, std::string_view program, std::string_view text);

 private:
  bool connect();

  std::mutex mutex_;  // guards the members below
  std::string path_{kSocket};
  int fd_ = -1;
};

}  // namespace muster::io
