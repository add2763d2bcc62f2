// The command that runs in an allocation: a child process, in the foreground of the terminal if
// there is one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/submitter.h"

namespace muster::cli {

class AllocationCommand {
 public:
  ~AllocationCommand();
  AllocationCommand() = default;
  AllocationCommand(const AllocationCommand&) = delete;
  AllocationCommand& operator=(const AllocationCommand&) = delete;

  // Runs as the owner of the job. Fails if the program does not exist.
  Result<void> start(const std::vector<std::string>& argv,
                     const std::vector<std::string>& environment, const std::string& directory,
                     const Owner& owner);
  // The wait status once the command has ended. If the command was stopped, this process stops too,
  // so that the shell that started it gets its terminal back.
  std::optional<std::uint32_t> poll_end();
  void signal(int number) const;
  bool is_interactive() const { return terminal_; }

 private:
  void give_terminal_to(pid_t group) const;

  pid_t pid_ = -1;
  bool terminal_ = false;  // it has the terminal and a process group of its own
};

}  // namespace muster::cli
