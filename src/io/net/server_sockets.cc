// Calls socket, bind, listen and their relatives.
#include "io/net/server_sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace muster::io {

namespace {

constexpr int kBacklog = 4096;

std::unexpected<Error> failed(const std::string& where) {
  return fail(fmt::format("cannot listen on {}: {}", where, std::strerror(errno)));
}

// Closes the fd, and reports the error that came before.
std::unexpected<Error> failed(int fd, const std::string& where) {
  auto error = failed(where);
  ::close(fd);
  return error;
}

bool is_served(const sockaddr_un& address) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool connected =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const bool is_busy = !connected && errno == EAGAIN;
  ::close(fd);
  return connected || is_busy;
}

bool is_socket(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

Result<int> listen_address(const addrinfo& address, const std::string& where) {
  const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed(where);
  const int on = 1;
  const int off = 0;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.ai_family == AF_INET6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd, address.ai_addr, address.ai_addrlen) != 0) return failed(fd, where);
  if (::listen(fd, kBacklog) != 0) return failed(fd, where);
  return fd;
}

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v6.sin6_port));
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return fmt::format("[{}]:{}", text.data(), ntohs(v6.sin6_port));
}

}  // namespace

Result<int> listen_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(
        fmt::format("cannot listen on {}: the path is longer than the {} bytes "
                    "that a socket's may have",
                    path, sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (is_served(address))
    return fail(fmt::format("cannot listen on {}: another server does", path));
  if (is_socket(path)) ::unlink(path.c_str());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed(path);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed(fd, path);
  if (::chmod(path.c_str(), 0777) != 0 || ::listen(fd, kBacklog) != 0) return failed(fd, path);
  return fd;
}

Result<int> listen_tcp(const std::string& address, std::uint16_t port) {
  const std::string where = fmt::format("{}:{}", address.empty() ? "*" : address, port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.empty() ? nullptr : address.c_str(),
                                 std::to_string(port).c_str(), &hints, &found);
  if (code != 0) return fail(fmt::format("cannot listen on {}: {}", where, ::gai_strerror(code)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  // For all addresses: an IPv6 socket also accepts IPv4. Without IPv6 the IPv4 address is tried
  // next.
  Result<int> last = fail(fmt::format("cannot listen on {}: no address", where));
  for (const int family : {AF_INET6, AF_INET})
    for (const addrinfo* at = found; at; at = at->ai_next) {
      if (at->ai_family != family) continue;
      last = listen_address(*at, where);
      if (last) return last;
    }
  return last;
}

std::uint16_t port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

Result<Peer> unix_peer(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return fail(std::strerror(errno));
  return Peer{.uid = Uid{peer.uid}, .gid = Gid{peer.gid}, .address = "unix"};
}

std::string tcp_peer_address(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return "a peer that left";
  return address_text(address);
}

std::size_t raise_file_limit(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  rlimit raised = limit;
  if (raised.rlim_max < wanted) raised.rlim_max = wanted;
  raised.rlim_cur = raised.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return raised.rlim_cur;
  limit.rlim_cur = limit.rlim_max;  // only root may go beyond the hard limit
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

}  // namespace muster::io
