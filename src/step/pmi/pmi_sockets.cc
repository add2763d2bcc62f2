// Carries PMI messages between the tasks' sockets and the server.
#include "step/pmi/pmi_sockets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "step/logic/process_mapping.h"

namespace muster::step {
namespace {

constexpr std::size_t kReadSize = 4096;

std::string step_text(const wire::StepRef& ref) {
  return fmt::format("{}.{}", ref.job.value, ref.step.value);
}

PmiJob pmi_job(const wire::StepLaunch& launch) {
  return {.name = step_text(launch.ref),
          .size = launch.num_tasks,
          .mapping = process_mapping(launch.layout),
          .ranks = launch.ranks};
}

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

PmiSockets::PmiSockets(const StepSetup& setup, MpiHost host)
    : setup_(setup),
      host_(std::move(host)),
      server_(pmi_job(setup.launch)),
      lines_(setup.launch.ranks.size()) {}

PmiSockets::~PmiSockets() {
  for (Line& line : lines_) {
    close_fd(line.ours);
    close_fd(line.theirs);
  }
}

Result<int> PmiSockets::add_task(std::size_t task, Environment& environment) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(fmt::format("cannot make a socket for PMI: {}", std::strerror(errno)));
  Line& line = lines_.at(task);
  line.ours = ends[0];
  line.theirs = ends[1];
  fcntl(line.ours, F_SETFL, fcntl(line.ours, F_GETFL) | O_NONBLOCK);
  environment.set("PMI_FD", std::to_string(line.theirs));
  environment.set("PMI_RANK", std::to_string(setup_.launch.ranks[task]));
  environment.set("PMI_SIZE", std::to_string(setup_.launch.num_tasks));
  environment.set("PMI_JOBID", step_text(setup_.launch.ref));
  return line.theirs;
}

void PmiSockets::task_started(std::size_t task) { close_fd(lines_.at(task).theirs); }

void PmiSockets::watch(io::PollSet& set) {
  for (std::size_t task = 0; task < lines_.size(); ++task) {
    Line& line = lines_[task];
    if (line.ours < 0) continue;
    // Nothing is read from a task that does not read its answers.
    set.add(line.ours, line.unsent.empty() ? POLLIN : POLLOUT, [this, task](short happened) {
      Line& ready = lines_[task];
      if (ready.ours >= 0 && (happened & POLLOUT) != 0) flush(ready);
      if (ready.ours >= 0 && (happened & (POLLIN | POLLHUP | POLLERR)) != 0) read(task);
    });
  }
}

void PmiSockets::read(std::size_t task) {
  std::array<char, kReadSize> buffer;
  const ssize_t count = recv(lines_[task].ours, buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close_fd(lines_[task].ours);
  act(server_.on_bytes(task, std::string_view(buffer.data(), static_cast<std::size_t>(count))));
}

void PmiSockets::flush(Line& line) {
  while (!line.unsent.empty()) {
    const ssize_t count = ::send(line.ours, line.unsent.data(), line.unsent.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return close_fd(line.ours);
    line.unsent.erase(0, static_cast<std::size_t>(count));
  }
}

void PmiSockets::act(PmiTurn turn) {
  for (const std::string& complaint : turn.complaints) host_.say(complaint);
  for (PmiTurn::Reply& reply : turn.replies) {
    Line& line = lines_[reply.task];
    if (line.ours < 0) continue;
    line.unsent += reply.bytes;
    flush(line);
  }
  if (turn.contribution)
    host_.exchange.contribute_to_all(
        fmt::format("fence {}", fences_++), std::move(*turn.contribution),
        [this](const std::vector<std::string>& parts) { act(server_.on_gathered(parts)); });
  if (turn.abort) host_.abort(*turn.abort);
}

}  // namespace muster::step
