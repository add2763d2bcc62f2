// Starts the command of an allocation, and controls its terminal.
#include "cli/salloc/command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "cli/allocation/signals.h"
#include "cli/lib/paths.h"

namespace muster::cli {

AllocationCommand::~AllocationCommand() {
  if (terminal_) give_terminal_to(getpgrp());
}

void AllocationCommand::give_terminal_to(pid_t group) const {
  // The kernel stops a background process that does this, unless it ignores SIGTTOU.
  auto before = std::signal(SIGTTOU, SIG_IGN);
  tcsetpgrp(STDIN_FILENO, group);
  std::signal(SIGTTOU, before);
}

Result<void> AllocationCommand::start(const std::vector<std::string>& argv,
                                      const std::vector<std::string>& environment,
                                      const std::string& directory, const Owner& owner) {
  std::string program = find_program(argv.front());
  if (program.empty())
    return fail(fmt::format("_fork_command: Unable to find command \"{}\"", argv.front()));
  std::vector<char*> words, variables;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : environment)
    variables.push_back(const_cast<char*>(entry.c_str()));
  words.push_back(nullptr);
  variables.push_back(nullptr);
  terminal_ = isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp();
  pid_ = fork();
  if (pid_ < 0) return fail(fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ == 0) {
    if (terminal_) {
      setpgid(0, 0);
      give_terminal_to(getpid());
    }
    SignalQueue::restore();
    if (!become(owner)) {
      std::fprintf(stderr, "salloc: error: cannot become the owner of the job: %s\n",
                   std::strerror(errno));
      _exit(1);
    }
    if (!directory.empty() && chdir(directory.c_str()) != 0)
      std::fprintf(stderr, "salloc: error: cannot change directory to %s: %s\n", directory.c_str(),
                   std::strerror(errno));
    execve(program.c_str(), words.data(), variables.data());
    std::fprintf(stderr, "salloc: error: %s: %s\n", program.c_str(), std::strerror(errno));
    _exit(127);
  }
  if (terminal_) {
    setpgid(pid_, pid_);  // the child does the same, because either may run first
    give_terminal_to(pid_);
  }
  return {};
}

std::optional<std::uint32_t> AllocationCommand::poll_end() {
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) {
    if (!WIFSTOPPED(status)) return static_cast<std::uint32_t>(status);
    if (!terminal_) continue;
    give_terminal_to(getpgrp());
    raise(SIGSTOP);
    give_terminal_to(pid_);
    signal(SIGCONT);
  }
  return std::nullopt;
}

void AllocationCommand::signal(int number) const {
  if (pid_ > 0) kill(terminal_ ? -pid_ : pid_, number);
}

}  // namespace muster::cli
