// Runs JobSubmitScript. Its deadline is ours: slurmctld kills the whole session.
#include "hooks/script_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "hooks/talk.h"

namespace muster::hooks {

namespace {

constexpr std::size_t kMostReplyBytes = 16u << 20, kMostErrorBytes = 64u << 10;

// Both ends of a pipe.
struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int which) {
    if (ends[which] >= 0) ::close(std::exchange(ends[which], -1));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

[[noreturn]] void become(const std::string& path, Pipe& in, Pipe& out, Pipe& errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(in.ends[0], 0);
  dup2(out.ends[1], 1);
  dup2(errors.ends[1], 2);
  close(kSocket);
  char* arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  execv(path.c_str(), arguments);
  _exit(127);
}

// Writes the request and reads both outputs, whatever order the program does things in.
Result<void> converse(std::string_view request, Pipe& in, Pipe& out, Pipe& errors,
                      std::string& reply, std::string& complaints) {
  fcntl(in.ends[1], F_SETFL, O_NONBLOCK);
  while (out.ends[0] >= 0 || errors.ends[0] >= 0) {
    pollfd ready[] = {{request.empty() ? -1 : in.ends[1], POLLOUT, 0},
                      {out.ends[0], POLLIN, 0},
                      {errors.ends[0], POLLIN, 0}};
    if (poll(ready, 3, -1) < 0 && errno != EINTR) return fail("poll failed");
    if (ready[0].revents != 0) {
      const ssize_t count = write(in.ends[1], request.data(), request.size());
      if (count > 0) request.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN && errno != EINTR) request = {};  // it reads no more
      if (request.empty()) in.close_end(1);
    }
    for (int i : {1, 2}) {
      if (ready[i].revents == 0) continue;
      Pipe& from = i == 1 ? out : errors;
      std::string& to = i == 1 ? reply : complaints;
      char buffer[65536];
      const ssize_t count = read(from.ends[0], buffer, sizeof buffer);
      if (count > 0 && (i == 1 || to.size() < kMostErrorBytes))
        to.append(buffer, static_cast<std::size_t>(count));
      else if (count == 0 || (count < 0 && errno != EINTR))
        from.close_end(0);
      if (reply.size() > kMostReplyBytes) return fail("it printed more than 16 MiB");
    }
  }
  return {};
}

}  // namespace

Result<ProgramEnd> run_script(const std::string& path, JobValues& values, const wire::HookPart* job,
                              const std::vector<wire::HookPart>& partitions, std::uint32_t uid) {
  auto failed = [&](std::string_view why) { return fail(fmt::format("{}: {}", path, why)); };
  const std::string request = request_text(values, job, partitions, uid);
  Pipe in, out, errors;
  if (!in.open() || !out.open() || !errors.open()) return failed(std::strerror(errno));
  const pid_t pid = fork();
  if (pid < 0) return failed(std::strerror(errno));
  if (pid == 0) become(path, in, out, errors);
  in.close_end(0);
  out.close_end(1);
  errors.close_end(1);
  std::string reply, complaints;
  const auto before = signal(SIGPIPE, SIG_IGN);  // it need not read its input
  auto talked = converse(request, in, out, errors, reply, complaints);
  signal(SIGPIPE, before);
  if (!talked) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!trim(complaints).empty())
    say(wire::HookLevel::info, fmt::format("{}: {}", path, complaints));
  if (!talked) return failed(talked.error().text());
  if (WIFSIGNALED(status)) return failed(fmt::format("was killed by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) == 127) return failed("cannot be executed");
  if (WEXITSTATUS(status) != 0)
    return failed(fmt::format("ended with exit status {}", WEXITSTATUS(status)));
  auto end = take_reply(reply, values);
  if (!end) return failed(end.error().text());
  return end;
}

}  // namespace muster::hooks
