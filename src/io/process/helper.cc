// Starts helpers, and moves frames over a socket pair.
#include "io/process/helper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "io/process/spawn.h"

namespace muster::io {

namespace {

std::array<char, 4> length_of(std::string_view frame) {
  std::array<char, 4> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(frame.size() >> (8 * i) & 255u);
  return bytes;
}

std::size_t length_in(const std::array<char, 4>& bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

bool is_passing(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

Result<std::unique_ptr<Helper>> Helper::start(const std::string& path,
                                              const std::vector<std::string>& arguments) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(fmt::format("no socket for {}: {}", path, std::strerror(errno)));
  std::vector<std::string> argv{path};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  // It may outlive the terminal that we were started from.
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  auto pid =
      spawn({.path = path, .argv = std::move(argv), .descriptors = {ends[1]}, .output = nothing});
  if (nothing >= 0) close(nothing);
  close(ends[1]);
  if (!pid) {
    close(ends[0]);
    return std::unexpected(pid.error());
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Helper>(new Helper(*pid, ends[0]));
}

Helper::~Helper() {
  how_ended();
  close(fd_);
}

void Helper::kill() const { ::kill(-pid_, SIGKILL); }

bool Helper::has_ended() {
  if (!is_collected_) is_collected_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return is_collected_;
}

std::string Helper::how_ended() {
  // Its session outlives it: what the helper started goes too.
  if (!is_collected_ || ::kill(-pid_, 0) == 0) kill();
  while (!is_collected_) {
    const pid_t found = waitpid(pid_, &status_, 0);
    is_collected_ = found == pid_ || (found < 0 && errno != EINTR);
  }
  if (WIFSIGNALED(status_)) return fmt::format("was killed by signal {}", WTERMSIG(status_));
  return fmt::format("ended with exit status {}", WEXITSTATUS(status_));
}

Result<void> Helper::wait_until(short events, Deadline deadline) const {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return fail(ErrorCode::timed_out);
    pollfd ready{fd_, events, 0};
    const int count = poll(&ready, 1, static_cast<int>(left.count()));
    if (count > 0) return {};
    if (count < 0 && errno != EINTR) return fail(ErrorCode::zero_bytes);
  }
}

Result<void> Helper::send(std::string_view frame, Deadline deadline) {
  const auto length = length_of(frame);
  for (std::string_view bytes : {std::string_view(length.data(), length.size()), frame})
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0)
        bytes.remove_prefix(static_cast<std::size_t>(count));
      else if (count < 0 && !is_passing(errno))
        return fail(ErrorCode::zero_bytes);
      else if (auto ready = wait_until(POLLOUT, deadline); !ready)
        return ready;
    }
  return {};
}

Result<void> Helper::read_exactly(char* to, std::size_t size, Deadline deadline) const {
  while (size > 0) {
    const ssize_t count = read(fd_, to, size);
    if (count > 0) {
      to += count;
      size -= static_cast<std::size_t>(count);
    } else if (count == 0 || !is_passing(errno)) {
      return fail(ErrorCode::zero_bytes);
    } else if (auto ready = wait_until(POLLIN, deadline); !ready) {
      return ready;
    }
  }
  // One that sends without end never lets us wait.
  return std::chrono::steady_clock::now() > deadline ? fail(ErrorCode::timed_out) : Result<void>{};
}

Result<std::string> Helper::receive(std::size_t most_bytes, Deadline deadline) {
  std::array<char, 4> length;
  if (auto read = read_exactly(length.data(), length.size(), deadline); !read)
    return std::unexpected(read.error());
  const std::size_t size = length_in(length);
  if (size > most_bytes) return fail(ErrorCode::too_large, fmt::format("{} bytes", size));
  std::string frame(size, '\0');
  if (auto read = read_exactly(frame.data(), size, deadline); !read)
    return std::unexpected(read.error());
  return frame;
}

bool send_frame(int fd, std::string_view frame) {
  const auto length = length_of(frame);
  for (std::string_view bytes : {std::string_view(length.data(), length.size()), frame})
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  return true;
}

bool receive_frame(int fd, std::string& frame, std::size_t most_bytes) {
  auto read_all = [fd](char* to, std::size_t size) {
    while (size > 0) {
      const ssize_t count = read(fd, to, size);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      to += count;
      size -= static_cast<std::size_t>(count);
    }
    return true;
  };
  std::array<char, 4> length;
  if (!read_all(length.data(), length.size())) return false;
  const std::size_t size = length_in(length);
  if (size > most_bytes) return false;
  frame.resize(size);
  return read_all(frame.data(), size);
}

}  // namespace muster::io
