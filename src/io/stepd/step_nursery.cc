// Sends and receives the packets of the nursery.
#include "io/stepd/step_nursery.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/loop/poll_set.h"

namespace muster::io {

namespace {

constexpr std::size_t kMaxTitle = 256;

}  // namespace

Result<void> give_step(int socket, const std::string& title, const StepDescriptors& descriptors) {
  iovec part{const_cast<char*>(title.data()), std::min(title.size(), kMaxTitle)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    return fail(fmt::format("the nursery of slurmstepds: {}", std::strerror(errno)));
  return {};
}

std::optional<GivenStep> await_step(int socket) {
  char title[kMaxTitle];
  iovec part{title, sizeof title};
  GivenStep given;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof given.descriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  wait_until_ready(socket, POLLIN);
  const ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || !header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof given.descriptors))
    return std::nullopt;
  std::memcpy(given.descriptors.data(), CMSG_DATA(header), sizeof given.descriptors);
  given.title.assign(title, static_cast<std::size_t>(size));
  return given;
}

}  // namespace muster::io
