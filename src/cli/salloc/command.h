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

  // As the owner of the job. Fails where the program is not there.
  Result<void> start(const std::vector<std::string>& argv,
                     const std::vector<std::string>& environment, const std::string& directory,
                     const Owner& owner);
  // Its wait status, once it has ended. One that was stopped stops this process too: the shell that
  // started both has to get its terminal back.
  std::optional<std::uint32_t> poll_end();
  void signal(int number) const;
  bool is_interactive() const { return terminal_; }

 private:
  void give_terminal_to(pid_t group) const;

  pid_t pid_ = -1;
  bool terminal_ = false;  // it has the terminal and its own process group
};

}  // namespace muster::cli
