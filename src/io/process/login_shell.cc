// Runs the login shell in a child with a time limit, and reads the output of env.
#include "io/process/login_shell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "base/text/strings.h"

namespace muster::io {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLoginTimeout{8};
constexpr std::string_view kMarker = "==login-environment==";  // profiles may print before it

[[noreturn]] void run_login_shell(const Login& login, const std::vector<std::string>& base,
                                  const std::function<bool()>& become, int out) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(out, STDOUT_FILENO);
  if (!become()) _exit(1);
  const std::string shell = login.shell.empty() ? "/bin/sh" : login.shell;
  // A leading dash tells any shell that it is a login shell.
  std::string name = "-" + shell.substr(shell.rfind('/') + 1);
  std::string command = "printf '%s\\0' '" + std::string(kMarker) + "'; exec env -0";
  std::string flag = "-c";
  char* argv[] = {name.data(), flag.data(), command.data(), nullptr};
  std::vector<char*> envp;
  for (const std::string& entry : base) envp.push_back(const_cast<char*>(entry.c_str()));
  envp.push_back(nullptr);
  execve(shell.c_str(), argv, envp.data());
  _exit(127);
}

std::string read_until_end(int fd) {
  std::string text;
  const auto deadline = Clock::now() + kLoginTimeout;
  char buffer[8192];
  while (true) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watch{fd, POLLIN, 0};
    if (left <= 0 || poll(&watch, 1, static_cast<int>(left)) <= 0) return {};
    ssize_t count = read(fd, buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

std::vector<std::string> login_environment(const Login& login,
                                           const std::function<bool()>& become) {
  const std::vector<std::string> base{
      "HOME=" + login.home, "USER=" + login.user, "LOGNAME=" + login.user, "SHELL=" + login.shell,
      "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"};
  int ends[2];
  std::string output;
  if (pipe2(ends, O_CLOEXEC) == 0) {
    pid_t pid = fork();
    if (pid == 0) run_login_shell(login, base, become, ends[1]);
    close(ends[1]);
    output = pid > 0 ? read_until_end(ends[0]) : std::string();
    close(ends[0]);
    if (pid > 0) {
      kill(-pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

  std::string_view text = output;
  if (auto marker = text.rfind(kMarker); marker != std::string_view::npos)
    text.remove_prefix(marker + kMarker.size() + 1);
  else
    text = {};
  std::vector<std::string> entries;
  auto add = [&](std::string_view entry) {
    const std::string_view name = name_of(entry);
    if (name.empty() || name.size() == entry.size() || name == "_" || name == "SHLVL") return;
    if (std::ranges::find(entries, name, name_of) == entries.end()) entries.emplace_back(entry);
  };
  for (std::string_view entry : split(text, '\0')) add(entry);
  for (const std::string& entry : base) add(entry);
  return entries;
}

}  // namespace muster::io
