// Runs a Session with poll(2).
#include "io/net/channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"
#include "io/net/channel_connect.h"
#include "io/net/frame.h"

namespace muster::io {

struct Channel::Impl {
  Impl(int socket, SessionState state) : fd(socket), session(std::move(state), kMaxFrameBytes) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
  Session session;
  std::optional<Endpoint> ungreeted;    // the server whose greeting is still to come
  Millis send_timeout = Millis::max();  // without any progress
  bool had_too_large = false;           // some frame was too large to queue
};

namespace {

// On Unix sockets without a handshake (a socketpair, a step's own socket) the kernel knows the
// peer.
Uid kernel_peer_uid(int fd, Uid fallback) {
  ucred peer{};
  socklen_t size = sizeof peer;
  int domain = 0;
  socklen_t domain_size = sizeof domain;
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) != 0 || domain != AF_UNIX)
    return fallback;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return fallback;
  return Uid{peer.uid};
}

}  // namespace

Result<Channel> Channel::connect(const Endpoint& endpoint, Millis timeout) {
  auto connected = connect_to(endpoint, Patience(timeout));
  if (!connected) return std::unexpected(connected.error());
  Channel channel(connected->fd, std::move(connected->session));
  if (connected->greeting_due) channel.impl_->ungreeted = endpoint;
  channel.impl_->send_timeout = timeout;
  return channel;
}

Channel::Channel(int fd, SessionState session)
    : impl_(std::make_unique<Impl>(fd, std::move(session))) {
  CHECK(fd >= 0);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;
Channel::~Channel() = default;

int Channel::fd() const { return impl_->fd; }
Uid Channel::peer_uid() const { return kernel_peer_uid(impl_->fd, impl_->session.peer_uid()); }

Result<void> Channel::send(std::string_view frame) {
  if (frame.size() > kMaxFrameBytes) return fail(ErrorCode::too_large);
  Session& session = impl_->session;
  session.queue(frame);
  for (;;) {
    if (auto wrote = session.write_to(impl_->fd); !wrote) return wrote;
    if (session.queued_bytes() == 0) return {};
    if (auto ready = Patience(impl_->send_timeout).await(impl_->fd, POLLOUT); !ready) return ready;
  }
}

Result<std::string> Channel::receive(Millis timeout) {
  auto frame = receive_any(timeout);
  if (!impl_->ungreeted) return frame;
  if (auto ok = check_greeting(frame, *impl_->ungreeted); !ok) return std::unexpected(ok.error());
  impl_->ungreeted.reset();
  return receive_any(timeout);
}

Result<std::string> Channel::receive_any(Millis timeout) {
  const Patience patience(timeout);
  for (;;) {
    auto frame = impl_->session.next_frame();
    if (!frame) return std::unexpected(frame.error());
    if (*frame) return std::move(**frame);
    // Send queued frames while waiting; otherwise both ends could wait for each other.
    if (auto wrote = try_flush(); !wrote) return std::unexpected(wrote.error());
    const short events = impl_->session.queued_bytes() > 0 ? POLLIN | POLLOUT : POLLIN;
    if (auto ready = patience.await(impl_->fd, events); !ready)
      return std::unexpected(ready.error());
    if (auto got = impl_->session.read_from(impl_->fd); !got) return std::unexpected(got.error());
  }
}

Result<std::optional<std::string>> Channel::try_receive() {
  for (;;) {
    auto frame = impl_->session.next_frame();
    if (!frame) return frame;
    if (*frame && impl_->ungreeted) {
      if (auto ok = check_greeting(**frame, *impl_->ungreeted); !ok)
        return std::unexpected(ok.error());
      impl_->ungreeted.reset();
      continue;
    }
    if (*frame) return frame;
    auto got = impl_->session.read_from(impl_->fd);
    if (!got) return std::unexpected(got.error());
    if (!*got) return std::nullopt;
  }
}

void Channel::queue(std::string_view frame) {
  if (frame.size() > kMaxFrameBytes)
    impl_->had_too_large = true;
  else
    impl_->session.queue(frame);
}
Result<void> Channel::try_flush() {
  if (impl_->had_too_large)
    return fail(ErrorCode::too_large,
                fmt::format("a message is larger than {} MiB", kMaxFrameBytes >> 20));
  return impl_->session.write_to(impl_->fd);
}
std::size_t Channel::queued_bytes() const { return impl_->session.queued_bytes(); }

std::pair<int, SessionState> Channel::release() {
  CHECK(!impl_->ungreeted);
  return {std::exchange(impl_->fd, -1), impl_->session.release()};
}

}  // namespace muster::io
