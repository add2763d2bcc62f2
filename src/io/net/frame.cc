// Reads and writes frames on a non-blocking socket.
#include "io/net/frame.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace muster::io {

namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kReadBytes = 64u << 10;
constexpr std::size_t kChunkBytes =
    64u << 10;  // small frames share a chunk, so that one write takes many

std::uint32_t read_length(const char* at) {
  const auto* b = reinterpret_cast<const unsigned char*>(at);
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
}

void append_length(std::string& out, std::size_t length) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(length >> shift));
}

}  // namespace

Session::Session(SessionState state, std::size_t max_frame_bytes)
    : state_(std::move(state)), max_frame_bytes_(max_frame_bytes), in_(std::move(state_.unread)) {
  state_.unread.clear();
  if (!state_.key.empty()) seal_.emplace(state_.key.view());
  if (!state_.unsent.empty()) {
    queued_bytes_ = state_.unsent.size();
    out_.push_back(std::move(state_.unsent));
    state_.unsent.clear();
  }
}

void Session::start_sealing(Secret key, bool is_server) {
  seal_.emplace(key.view());
  state_.key = std::move(key);
  state_.is_server = is_server;
  state_.sent = state_.received = 0;
}

void Session::set_peer(Uid uid, Gid gid) {
  state_.peer_uid = uid;
  state_.peer_gid = gid;
}

Direction Session::outgoing() const {
  return state_.is_server ? Direction::to_client : Direction::to_server;
}
Direction Session::incoming() const {
  return state_.is_server ? Direction::to_server : Direction::to_client;
}

Result<bool> Session::read_from(int fd) {
  std::array<char, kReadBytes> buffer;
  ssize_t got;
  do got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (got < 0) return fail(ErrorCode::communication, std::strerror(errno));
  if (got == 0 && is_within_frame())
    return fail(ErrorCode::communication, "the connection ended within a frame");
  if (got == 0) return fail(ErrorCode::zero_bytes);
  in_.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<Session::Upcoming> Session::upcoming() const {
  const std::size_t have = in_.size() - consumed_;
  if (have < kHeaderBytes) return std::nullopt;
  const std::size_t length = read_length(in_.data() + consumed_);
  return Upcoming{.bytes = length, .is_whole = have - kHeaderBytes >= length};
}

Result<std::optional<std::string>> Session::next_frame() {
  const std::size_t have = in_.size() - consumed_;
  if (have < kHeaderBytes) return std::nullopt;
  const std::size_t length = read_length(in_.data() + consumed_);
  if (length > max_frame_bytes_ + (seal_ ? kSealTagBytes : 0))
    return fail(ErrorCode::too_large, fmt::format("a frame of {} bytes, more than the {} allowed",
                                                  length, max_frame_bytes_));
  if (have - kHeaderBytes < length) return std::nullopt;
  const std::string_view body(in_.data() + consumed_ + kHeaderBytes, length);
  std::string frame;
  if (seal_) {
    auto plain = seal_->open(incoming(), state_.received, body);
    if (!plain) return std::unexpected(plain.error());
    frame = std::move(*plain);
  } else {
    frame = body;
  }
  ++state_.received;
  consume(kHeaderBytes + length);
  return frame;
}

// Frees the buffer when it is empty, so that an idle connection holds none. Otherwise moves the
// rest to the front only now and then, not for every frame.
void Session::consume(std::size_t bytes) {
  consumed_ += bytes;
  if (consumed_ == in_.size()) {
    in_.clear();
    in_.shrink_to_fit();
    consumed_ = 0;
  } else if (consumed_ >= kReadBytes) {
    in_.erase(0, consumed_);
    consumed_ = 0;
  }
}

void Session::queue(std::string_view frame) {
  CHECK(frame.size() <= kMaxFrameBytes, "a frame is too large to send");
  const std::size_t length = frame.size() + (seal_ ? kSealTagBytes : 0);
  if (out_.empty() || out_.back().size() + length > kChunkBytes) out_.emplace_back();
  std::string& chunk = out_.back();
  append_length(chunk, length);
  if (seal_)
    seal_->close(outgoing(), state_.sent, frame, chunk);
  else
    chunk.append(frame);
  ++state_.sent;
  queued_bytes_ += kHeaderBytes + length;
}

Result<void> Session::write_to(int fd) {
  while (!out_.empty()) {
    std::array<iovec, 16> parts;
    std::size_t count = 0;
    for (std::string& chunk : out_) {
      if (count == parts.size()) break;
      const std::size_t skip = count == 0 ? written_ : 0;
      parts[count++] = {chunk.data() + skip, chunk.size() - skip};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (sent < 0) return fail(ErrorCode::communication, std::strerror(errno));
    queued_bytes_ -= static_cast<std::size_t>(sent);
    written_ += static_cast<std::size_t>(sent);
    while (!out_.empty() && written_ >= out_.front().size()) {
      written_ -= out_.front().size();
      out_.pop_front();
    }
  }
  return {};
}

SessionState Session::release() {
  SessionState state = std::move(state_);
  state.unread = in_.substr(consumed_);
  state.unsent.clear();
  for (const std::string& chunk : out_) state.unsent += chunk;
  state.unsent.erase(0, written_);
  in_.clear();
  out_.clear();
  consumed_ = written_ = queued_bytes_ = 0;
  return state;
}

}  // namespace muster::io
