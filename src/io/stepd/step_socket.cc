// Sends and receives commands between slurmd and slurmstepd.
#include "io/stepd/step_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/codec/codec.h"

namespace muster::io {
namespace {

constexpr int kSocketType = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;

std::unexpected<Error> call_failed(std::string_view what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

// Addresses of sockets can have 107 characters, and spool directories may be longer. So names are
// given relative to an open directory.
class DirectoryAddress {
 public:
  explicit DirectoryAddress(const std::string& step_file) {
    const std::filesystem::path path = step_file + kStepSocketSuffix;
    name_ = path.filename();
    dir_ = open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    address_.sun_family = AF_UNIX;
    fmt::format_to_n(address_.sun_path, sizeof address_.sun_path - 1, "/proc/self/fd/{}/{}", dir_,
                     name_);
  }
  DirectoryAddress(const DirectoryAddress&) = delete;
  ~DirectoryAddress() {
    if (dir_ >= 0) ::close(dir_);
  }
  bool ok() const { return dir_ >= 0; }
  void remove() const { unlinkat(dir_, name_.c_str(), 0); }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }

 private:
  int dir_;
  std::string name_;
  sockaddr_un address_{};
};

}  // namespace

void StepSocket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<std::pair<StepSocket, StepSocket>> StepSocket::pair() {
  int ends[2];
  if (socketpair(AF_UNIX, kSocketType, 0, ends) != 0) return call_failed("socketpair");
  return std::pair(StepSocket(ends[0]), StepSocket(ends[1]));
}

Result<StepSocket> StepSocket::listen(const std::string& step_file) {
  DirectoryAddress at(step_file);
  if (!at.ok()) return call_failed(step_file);
  StepSocket socket(::socket(AF_UNIX, kSocketType, 0));
  if (socket.fd_ < 0) return call_failed("socket");
  at.remove();
  if (bind(socket.fd_, at.address(), sizeof(sockaddr_un)) != 0) return call_failed("bind");
  if (::listen(socket.fd_, 4) != 0) return call_failed("listen");
  return socket;
}

Result<StepSocket> StepSocket::connect(const std::string& step_file) {
  DirectoryAddress at(step_file);
  if (!at.ok()) return call_failed(step_file);
  StepSocket socket(::socket(AF_UNIX, kSocketType, 0));
  if (socket.fd_ < 0) return call_failed("socket");
  if (::connect(socket.fd_, at.address(), sizeof(sockaddr_un)) != 0) return call_failed("connect");
  return socket;
}

Result<StepSocket> StepSocket::accept() const {
  StepSocket socket(accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.fd_ < 0) return call_failed("accept");
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket.fd_, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return call_failed("SO_PEERCRED");
  if (peer.uid != 0 && peer.uid != geteuid()) return fail("a stranger connected");
  return socket;
}

Result<void> StepSocket::send(const StepCommand& command, int fd) const {
  std::string bytes = encode(StepCommandFrame{command});
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  if (sendmsg(fd_, &message, MSG_NOSIGNAL) >= 0) return {};
  if (errno == EAGAIN) return fail(ErrorCode::timed_out, "slurmstepd does not read its commands");
  return call_failed("send to slurmstepd");
}

Result<std::optional<ReceivedCommand>> StepSocket::receive() const {
  ssize_t size = recv(fd_, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (size < 0) return call_failed("recv");
  if (size == 0) return fail(ErrorCode::zero_bytes);

  std::string bytes(static_cast<std::size_t>(size), '\0');
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(fd_, &message, MSG_CMSG_CLOEXEC) < 0) return call_failed("recvmsg");

  ReceivedCommand received;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header))
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
      std::memcpy(&received.fd, CMSG_DATA(header), sizeof received.fd);
  auto frame = decode<StepCommandFrame>(bytes);
  if (!frame) {
    if (received.fd >= 0) ::close(received.fd);
    return std::unexpected(frame.error());
  }
  received.command = std::move(frame->command);
  return received;
}

}  // namespace muster::io
