// The tasks' ends of the streams: reads their output and writes their input.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "step/streams/stdio.h"

namespace muster::step {
namespace {

constexpr std::size_t kReadSize = 64u << 10;
constexpr std::size_t kMaxRecent = 128u << 10;

}  // namespace

void Stdio::read_output(Output& output) {
  wire::TaskOutput message{output.rank, output.is_stderr, {}};
  ssize_t count = 0;
  message.bytes.resize_and_overwrite(kReadSize, [&](char* buffer, std::size_t size) {
    count = read(output.fd, buffer, size);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  });
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // EIO means that the last user of the terminal has gone.
  if (count <= 0) close_fd(output.fd);
  if (output.file != kToClient) return add_labelled(output, std::move(message.bytes));
  wire::FromStep sent = send_all(std::move(message), true);
  if (!drops_output_) keep(std::get<wire::TaskOutput>(std::move(sent)));
}

// srun -l with files on this node. If the disk is full, lines are lost, as when tasks write such a
// file themselves.
void Stdio::add_labelled(Output& output, std::string bytes) {
  const bool ended = bytes.empty();
  output.unwritten += ended ? labelled_lines_.finish(output.rank, output.is_stderr)
                            : labelled_lines_.take(output.rank, output.is_stderr, std::move(bytes));
  write_labelled(output);
}

void Stdio::write_labelled(Output& output) {
  while (!output.unwritten.empty()) {
    const ssize_t count = write(output.file, output.unwritten.data(), output.unwritten.size());
    if (count < 0 && errno == EAGAIN) return;  // a FIFO with a slow reader
    if (count < 0 && errno != EINTR) return output.unwritten.clear();
    if (count > 0) output.unwritten.erase(0, static_cast<std::size_t>(count));
  }
}

void Stdio::keep(wire::TaskOutput&& message) {
  if (message.bytes.empty()) return;
  message.bytes.shrink_to_fit();
  recent_bytes_ += message.bytes.size();
  recent_.push_back(std::move(message));
  while (recent_bytes_ > kMaxRecent && recent_.size() > 1) {
    recent_bytes_ -= recent_.front().bytes.size();
    recent_.pop_front();
  }
}

void Stdio::feed(const wire::TaskInput& message) {
  constexpr std::uint32_t kAllRanks = 0xffffffffu;
  for (std::uint32_t rank : setup_.launch.ranks) {
    if (message.rank != kAllRanks && message.rank != rank) continue;
    Input& input = inputs_[rank];
    if (input.closed) continue;
    if (message.bytes.empty())
      input.ends = true;
    else
      input.pending += message.bytes;
    write_input(input);
  }
}

void Stdio::write_input(Input& input) {
  if (input.fd < 0) return;
  while (!input.pending.empty()) {
    ssize_t count = write(input.fd, input.pending.data(), input.pending.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return close_input(input);
    input.pending.erase(0, static_cast<std::size_t>(count));
  }
  if (!input.ends) return;
  if (setup_.launch.task.pty) {
    // Closing one end of a terminal does not end the input of its reader: ^D does.
    if (write(input.fd, "\x04", 1) == 1) input.ends = false;
    return;
  }
  close_input(input);
}

void Stdio::close_input(Input& input) {
  input.closed = true;
  input.pending.clear();
  close_fd(input.fd);
}

void Stdio::set_window(const wire::WindowSize& size) {
  if (!setup_.launch.task.pty) return;
  window_ = size;  // the task may not exist yet
  winsize window{};
  window.ws_row = size.rows;
  window.ws_col = size.columns;
  for (auto& [rank, input] : inputs_)
    if (input.fd >= 0) ioctl(input.fd, TIOCSWINSZ, &window);
}

}  // namespace muster::step
