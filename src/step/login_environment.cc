#include "step/login_environment.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

#include "base/strings.h"
#include "step/setup.h"

namespace muster::step {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLoginTimeout{8};
constexpr std::string_view kMarker = "==login-environment==";  // profiles may print before it

[[noreturn]] void run_login_shell(const StepSetup& setup, const Environment& base, int out) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(out, 1);
  if (!become_user(setup)) _exit(1);
  const std::string shell = setup.shell.empty() ? "/bin/sh" : setup.shell.str();
  // A leading dash is how every shell is told that this is a login.
  std::string name = "-" + shell.substr(shell.rfind('/') + 1);
  std::string command = "printf '%s\\0' '" + std::string(kMarker) + "'; exec env -0";
  std::string flag = "-c";
  char* argv[] = {name.data(), flag.data(), command.data(), nullptr};
  std::vector<char*> envp;
  for (const std::string& entry : base.entries()) envp.push_back(const_cast<char*>(entry.c_str()));
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

}  // namespace

void add_login_environment(Environment& environment, const StepSetup& setup) {
  Environment base({});
  base.set("HOME", setup.home);
  base.set("USER", setup.launch.user_name);
  base.set("LOGNAME", setup.launch.user_name);
  base.set("SHELL", setup.shell);
  base.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin");

  int ends[2];
  std::string output;
  if (pipe2(ends, O_CLOEXEC) == 0) {
    pid_t pid = fork();
    if (pid == 0) run_login_shell(setup, base, ends[1]);
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
  auto add = [&](std::string_view entry) {
    std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) return;
    environment.set_if_missing(entry.substr(0, equals), entry.substr(equals + 1));
  };
  for (std::string_view entry : split(text, '\0')) add(entry);
  for (const std::string& entry : base.entries()) add(entry);
  environment.erase("_");
  environment.erase("SHLVL");
}

}  // namespace muster::step
