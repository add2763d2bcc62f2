// Opens Unix and TCP sockets within a time limit, and exchanges greetings.
#include "io/net/channel_connect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/codec/codec.h"
#include "base/text/slow_down.h"
#include "io/net/frame.h"
#include "io/net/handshake.h"

namespace muster::io {

namespace {

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::unexpected<Error> unreachable(std::string_view where, std::string_view why) {
  return fail(ErrorCode::communication, fmt::format("{}: {}", where, why));
}

// If the backlog of a Unix socket is full, a non-blocking connect(2) fails with EAGAIN, and there
// is no event to wait for. So this one blocks, for at most the time left.
Result<Socket> connect_unix(const std::string& path, const Patience& patience) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return unreachable(path, "the path is too long for a socket");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return unreachable(path, std::strerror(errno));
  if (const Millis left = patience.left(); left != Millis::max()) {
    const auto milliseconds = std::max<Millis::rep>(left.count(), 1);
    const timeval limit{milliseconds / 1000, milliseconds % 1000 * 1000};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  int result;
  do result = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EAGAIN) return fail(ErrorCode::timed_out, path);
  if (result != 0) return unreachable(path, std::strerror(errno));
  ::fcntl(socket.get(), F_SETFL, O_RDWR | O_NONBLOCK);
  return socket;
}

Result<Socket> connect_address(const addrinfo& address, const Patience& patience) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return fail(ErrorCode::communication, std::strerror(errno));
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR)
      return fail(ErrorCode::communication, std::strerror(errno));
    if (auto ready = patience.await(socket.get(), POLLOUT); !ready)
      return std::unexpected(ready.error());
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return fail(ErrorCode::communication, std::strerror(error));
  }
  set_tcp_options(socket.get());
  return socket;
}

Result<Socket> connect_tcp(const Endpoint& endpoint, const Patience& patience) {
  const std::string where = fmt::format("{}:{}", endpoint.host, endpoint.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code =
      ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (code != 0) return unreachable(where, ::gai_strerror(code));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  Error last{ErrorCode::communication, "the name has no address"};
  for (const addrinfo* address = found; address; address = address->ai_next) {
    auto socket = connect_address(*address, patience);
    if (socket) return socket;
    last = socket.error();
    if (last.code == ErrorCode::timed_out) break;
  }
  return std::unexpected(Error{last.code, fmt::format("{}: {}", where, last.detail)});
}

Result<std::string> receive_frame(int fd, Session& session, const Patience& patience) {
  for (;;) {
    auto frame = session.next_frame();
    if (!frame) return std::unexpected(frame.error());
    if (*frame) return std::move(**frame);
    if (auto ready = patience.await(fd, POLLIN); !ready) return std::unexpected(ready.error());
    if (auto got = session.read_from(fd); !got) return std::unexpected(got.error());
  }
}

Result<void> flush(int fd, Session& session, const Patience& patience) {
  for (;;) {
    if (auto wrote = session.write_to(fd); !wrote) return wrote;
    if (session.queued_bytes() == 0) return {};
    if (auto ready = patience.await(fd, POLLOUT); !ready) return ready;
  }
}

// A server of our own user can do nothing to us that the user could not do anyway. So without a
// server_uid our own uid is accepted, besides root.
Result<Uid> check_unix_server(int fd, const Endpoint& endpoint) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return unreachable(endpoint.unix_path, std::strerror(errno));
  const Uid expected = endpoint.server_uid.value_or(Uid{::geteuid()});
  const Uid uid{peer.uid};
  if (uid != expected && uid != Uid{0})
    return fail(ErrorCode::access_denied,
                fmt::format("the server at {} runs as uid {}, not {}", endpoint.unix_path,
                            uid.value, expected.value));
  return uid;
}

// Our hello is only queued; it is sent together with the first request.
Result<SessionState> greet_unix(int fd, const Endpoint& endpoint) {
  auto server = check_unix_server(fd, endpoint);
  if (!server) return std::unexpected(server.error());
  Session session({}, kMaxHandshakeFrameBytes);
  session.queue(answer_over_unix(endpoint.role));
  session.set_peer(*server, Gid{0});
  return session.release();
}

Result<SessionState> greet_tcp(int fd, const Endpoint& endpoint, const Patience& patience) {
  Session session({}, kMaxHandshakeFrameBytes);
  auto frame = receive_frame(fd, session, patience);
  if (!frame) return std::unexpected(frame.error());
  auto hello = read_server_hello(*frame, endpoint);
  if (!hello) return std::unexpected(hello.error());
  auto offer = answer_over_tcp(*hello, endpoint);
  if (!offer) return std::unexpected(offer.error());
  session.queue(offer->frame);
  if (auto sent = flush(fd, session, patience); !sent) return std::unexpected(sent.error());
  session.start_sealing(offer->key, false);
  auto proof = receive_frame(fd, session, patience);
  if (!proof && proof.error().code == ErrorCode::zero_bytes)
    return unreachable(endpoint.host, "the server refused the credential; its log says why");
  if (!proof) return std::unexpected(proof.error());
  const auto welcome = decode<Welcome>(*proof);
  if (!welcome) return unreachable(endpoint.host, "the server's answer is malformed");
  if (welcome->come_back_ms > 0) return std::unexpected(slow_down(Millis{welcome->come_back_ms}));
  session.set_peer(endpoint.server_uid.value_or(Uid{0}), Gid{0});
  return session.release();
}

// A connection that ends during the handshake did not end in order.
Error greeting_error(Error error) {
  if (error.code == ErrorCode::zero_bytes)
    return {ErrorCode::communication, "the server closed the connection"};
  return error;
}

}  // namespace

Patience::Patience(Millis timeout, int cancel_fd)
    : is_endless_(timeout > std::chrono::hours(24 * 365)), cancel_fd_(cancel_fd) {
  if (!is_endless_) end_ = std::chrono::steady_clock::now() + timeout;
}

Millis Patience::left() const {
  if (is_endless_) return Millis::max();
  const auto left = std::chrono::ceil<Millis>(end_ - std::chrono::steady_clock::now());
  return std::max(left, Millis{0});
}

Result<void> Patience::await(int fd, short events) const {
  std::array<pollfd, 2> watched{pollfd{fd, events, 0}, pollfd{cancel_fd_, POLLIN, 0}};
  for (;;) {
    const Millis time = left();
    const int timeout =
        time == Millis::max() ? -1 : static_cast<int>(std::min<Millis::rep>(time.count(), 1 << 30));
    const int ready = ::poll(watched.data(), watched.size(), timeout);
    if (ready < 0 && errno != EINTR) return fail(ErrorCode::communication, std::strerror(errno));
    if (ready > 0 && watched[1].revents != 0) return fail(ErrorCode::communication, "cancelled");
    if (ready > 0) return {};
    if (ready == 0 && left() == Millis{0}) return fail(ErrorCode::timed_out);
  }
}

void set_tcp_options(int fd) {
  const auto set = [fd](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 120'000);
}

Result<Connected> connect_to(const Endpoint& endpoint, const Patience& patience) {
  const bool has_tcp = endpoint.use_munge && !endpoint.host.empty() && endpoint.port != 0;
  if (!endpoint.unix_path.empty()) {
    auto socket = connect_unix(endpoint.unix_path, patience);
    if (socket) {
      auto state = greet_unix(socket->get(), endpoint);
      if (!state) return std::unexpected(state.error());
      return Connected{socket->release(), std::move(*state), true};
    }
    if (!has_tcp) return std::unexpected(socket.error());
  }
  if (!has_tcp) return fail(ErrorCode::communication, "no address to connect to");
  auto socket = connect_tcp(endpoint, patience);
  if (!socket) return std::unexpected(socket.error());
  auto state = greet_tcp(socket->get(), endpoint, patience);
  if (!state) return std::unexpected(greeting_error(state.error()));
  return Connected{socket->release(), std::move(*state)};
}

Result<Connected> connect_and_greet(const Endpoint& endpoint, const Patience& patience) {
  auto connected = connect_to(endpoint, patience);
  if (!connected || !connected->greeting_due) return connected;
  Socket socket(connected->fd);
  Session session(std::move(connected->session), kMaxHandshakeFrameBytes);
  if (auto sent = flush(socket.get(), session, patience); !sent)
    return std::unexpected(sent.error());
  auto frame = receive_frame(socket.get(), session, patience);
  if (auto ok = check_greeting(frame, endpoint); !ok) return std::unexpected(ok.error());
  return Connected{socket.release(), session.release()};
}

Result<void> check_greeting(const Result<std::string>& frame, const Endpoint& endpoint) {
  if (!frame) return std::unexpected(greeting_error(frame.error()));
  if (auto hello = read_server_hello(*frame, endpoint); !hello)
    return std::unexpected(hello.error());
  return {};
}

}  // namespace muster::io
