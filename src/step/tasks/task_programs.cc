// Runs TaskProlog and TaskEpilog, those of the site and of the user, around each task.
#include "step/tasks/task_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "base/text/strings.h"
#include "step/tasks/setup.h"

namespace muster::step {
namespace {

constexpr std::chrono::seconds kEpilogTime{5};  // for each of them

[[noreturn]] void execute(const std::string& program, const Environment& environment, int out,
                          int err) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, 0);
  dup2(out < 0 ? null : out, 1);
  dup2(err < 0 ? null : err, 2);
  char* argv[] = {const_cast<char*>(program.c_str()), nullptr};
  std::vector<char*> variables;
  for (const std::string& entry : environment.entries())
    variables.push_back(const_cast<char*>(entry.c_str()));
  variables.push_back(nullptr);
  execve(program.c_str(), argv, variables.data());
  _exit(127);
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  ssize_t count;
  while ((count = read(fd, buffer, sizeof buffer)) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

void apply_line(std::string_view line, Environment& environment) {
  constexpr std::string_view kExport = "export ", kUnset = "unset ", kPrint = "print ";
  if (line.starts_with(kExport)) {
    std::string_view setting = trim(line.substr(kExport.size()));
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos || equals == 0) return;
    environment.set(setting.substr(0, equals), setting.substr(equals + 1));
  } else if (line.starts_with(kUnset)) {
    environment.erase(trim(line.substr(kUnset.size())));
  } else if (line.starts_with(kPrint)) {
    dprintf(1, "%s\n", std::string(line.substr(kPrint.size())).c_str());
  }
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_status_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 1 << 8;
  return status;
}

// After this time the program and its process group are killed.
int wait_status_within(pid_t pid, std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (std::chrono::steady_clock::now() < end) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return 1 << 8;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);  // it may not have a group yet
  return wait_status_of(pid);
}

int run_task_prolog(const std::string& program, Environment& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 1;
  Environment own = environment;
  own.set("SLURM_SCRIPT_CONTEXT", "prolog_task");
  pid_t pid = fork();
  if (pid < 0) return 1;
  if (pid == 0) execute(program, own, ends[1], -1);
  close(ends[1]);
  const std::string output = read_all(ends[0]);
  close(ends[0]);
  const int status = exit_code(wait_status_of(pid));
  for (std::string_view line : split(output, '\n')) apply_line(line, environment);
  return status;
}

void say_error(int fd, const StepSetup& setup, const std::string& text) {
  dprintf(fd, "%s: error: %s\n", setup.program.str().c_str(), text.c_str());
}

void say_not_executable(const StepSetup& setup, const std::string& program, int error) {
  say_error(2, setup,
            fmt::format("run_command: user task_prolog can not be executed ({}) {}", program,
                        std::strerror(error)));
  say_error(2, setup,
            "user task_prolog did not exit normally. reason: Run command failed - configuration "
            "error");
}

// The wait status; -1 if the user's own program could not be run.
int run_task_epilog(const StepSetup& setup, const Text& program, const Environment& environment,
                    int error_fd) {
  const bool of_user = &program == &setup.launch.task.task_epilog;
  if (of_user && access(program.str().c_str(), X_OK) != 0) {
    say_error(error_fd, setup,
              fmt::format("Could not run user task_epilog [{}]: access denied", program.view()));
    return -1;
  }
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    execute(program.str(), environment, -1, error_fd);
  }
  return child > 0 ? wait_status_within(child, kEpilogTime) : 0;
}

}  // namespace

int run_task_prologs(const StepSetup& setup, Environment& environment) {
  for (const Text* program : {&setup.task_prolog, &setup.launch.task.task_prolog}) {
    if (program->empty()) continue;
    const bool of_user = program == &setup.launch.task.task_prolog;
    int status = 1;
    if (of_user && access(program->str().c_str(), X_OK) != 0)
      say_not_executable(setup, program->str(), errno);
    else
      status = run_task_prolog(program->str(), environment);
    if (status == 0) continue;
    say_error(2, setup,
              fmt::format("{} failed status={}", of_user ? "--task-prolog" : "TaskProlog", status));
    return status;
  }
  return 0;
}

bool has_task_epilog(const StepSetup& setup) {
  return !setup.task_epilog.empty() || !setup.launch.task.task_epilog.empty();
}

Result<pid_t> start_task_epilog(const StepSetup& setup, Environment environment, int error_fd) {
  environment.set("SLURM_SCRIPT_CONTEXT", "epilog_task");
  pid_t pid = fork();
  if (pid < 0) return fail(fmt::format("fork: {}", std::strerror(errno)));
  if (pid > 0) return pid;
  setsid();
  sigset_t none;
  sigemptyset(&none);
  for (int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    std::signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!become_user(setup)) _exit(1);
  for (const Text* program : {&setup.launch.task.task_epilog, &setup.task_epilog}) {
    if (program->empty()) continue;
    const int status = run_task_epilog(setup, *program, environment, error_fd);
    if (status != 0) say_error(error_fd, setup, fmt::format("TaskEpilog failed status={}", status));
  }
  _exit(0);
}

}  // namespace muster::step
