// What the network tests share: a folder, an echoing server, raw sockets, and waiting without
// sleeping.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "io/files.h"
#include "io/log.h"
#include "io/net/channel.h"
#include "io/net/frame.h"
#include "io/net/handshake.h"
#include "io/net/server.h"

namespace muster::io {

inline constexpr Millis kPatience{20000};  // far longer than anything here takes

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    std::filesystem::permissions(path_, std::filesystem::perms::all);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Hands values from handlers on io threads to the test. Declare it before the loop or pool whose
// threads use it.
template <class T>
class Mailbox {
 public:
  void put(T value) {
    // Notify with the lock held: the thread that takes the last value may destroy this at once.
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    wake_.notify_all();
  }
  std::optional<T> take(Millis timeout = kPatience) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, timeout, [this] { return !values_.empty(); })) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<T> values_;
};

template <class Condition>
bool eventually(Condition condition, Millis timeout = kPatience) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(Millis{1});
  }
  return true;
}

// While this exists, the log goes to a file.
class CapturedLog {
 public:
  explicit CapturedLog(LogLevel level = LogLevel::error) {
    open_log({.program = "test", .file = folder_ / "log", .file_level = level});
  }
  ~CapturedLog() {
    open_log({.program = "test", .file = "", .to_stderr = true, .stderr_level = LogLevel::error});
  }
  std::string text() const { return read_file(folder_ / "log").value_or(""); }
  bool comes_to_say(const std::string& words) const {
    return eventually([&] { return text().find(words) != std::string::npos; });
  }

 private:
  TemporaryFolder folder_;
};

// Answers "x" with "echo x".
class EchoServer {
 public:
  explicit EchoServer(ServerOptions options = {}) : options_(std::move(options)) {
    options_.unix_path = folder_ / "socket";
    options_.munge_decoder_uid = Uid{::geteuid()};
    if (options_.server_name.empty()) options_.server_name = "echo";
    auto listening = Server::listen(
        loop, options_,
        {.on_open = [this](ConnectionId, const Peer& peer) { opened.put(peer); },
         .on_frame = [this](ConnectionId id,
                            std::string frame) { server->send(id, "echo " + frame); },
         .on_close = [this](ConnectionId id) { closed.put(id); }});
    EXPECT_TRUE(listening) << listening.error().text();
    server = std::move(*listening);
  }
  Endpoint unix_endpoint() const {
    return {.unix_path = options_.unix_path, .server_uid = Uid{::geteuid()}};
  }
  Endpoint tcp_endpoint() const {
    return {.host = "127.0.0.1", .port = server->port(), .server_uid = Uid{::geteuid()}};
  }
  Channel client() const {
    auto channel = Channel::connect(unix_endpoint(), kPatience);
    EXPECT_TRUE(channel) << channel.error().text();
    return std::move(*channel);
  }

  TemporaryFolder folder_;
  ServerOptions options_;
  Mailbox<Peer> opened;
  Mailbox<ConnectionId> closed;
  Loop loop;
  std::unique_ptr<Server> server;
};

inline std::string call(Channel& channel, std::string_view text) {
  if (auto sent = channel.send(text); !sent) return "error: " + sent.error().text();
  auto answer = channel.receive(kPatience);
  return answer ? *answer : "error: " + answer.error().text();
}

inline int raw_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return -1;
  return fd;
}

inline int raw_tcp(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return -1;
  return fd;
}

inline bool write_raw(int fd, std::string_view bytes) {
  return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

// Reads and discards until the other side has closed.
inline bool is_closed_by_peer(int fd, Millis timeout = kPatience) {
  char buffer[4096];
  for (;;) {
    pollfd watched{fd, POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(timeout.count())) <= 0) return false;
    if (::recv(fd, buffer, sizeof buffer, 0) <= 0) return true;
  }
}

inline bool has_munge() {
  static const bool works = std::system("munge -n >/dev/null 2>&1") == 0;
  return works;
}

// The first message of a client.
inline std::string greeting() {
  Session session({}, kMaxHandshakeFrameBytes);
  session.queue(answer_over_unix());
  return session.release().unsent;
}

}  // namespace muster::io
