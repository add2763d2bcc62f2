// How the tasks of a step ended: srun's exit code, and its messages about failures.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/idset.h"

namespace muster::cli {

// "Exited with exit code 3", "Killed", "Segmentation fault (core dumped)", "Out Of Memory"
std::string exit_description(std::uint32_t wait_status, bool out_of_memory);
// 3 for exit code 3, 137 for signal 9.
int exit_code_of_status(std::uint32_t wait_status);

enum class TaskPhase : std::uint8_t { starting, running, exited, exited_abnormally };

class TaskBook {
 public:
  void add_place(const std::string& node, const std::vector<std::uint32_t>& ranks);
  void started(std::uint32_t rank, std::uint32_t pid);
  void exited(std::uint32_t rank, std::uint32_t wait_status, bool out_of_memory);
  void lost(const std::string& node);  // the connection to its node is lost
  void aborted();  // a task asked to end all others: they may then end without an error

  // Failures that have not been reported yet, of this node or of all. Tasks of one node with the
  // same end share a line: "n1: tasks 0-1: Exited with exit code 3".
  std::vector<std::string> take_messages(std::string_view node = {});
  bool has_messages() const { return !untold_.empty(); }

  // "StepId=1.0 tasks 0-1: running", one line for each state of tasks.
  std::vector<std::string> status_lines(const std::string& step) const;

  int exit_code() const { return exit_code_; }
  std::uint32_t worst_status() const { return worst_status_; }  // the wait status behind exit_code
  bool any_forced() const { return any_forced_; }               // ended by SIGKILL or SIGTERM
  bool all_exited() const { return left_ == 0; }
  bool all_started() const { return begun_ == tasks_.size(); }

  // "task:0, host:n1, pid:4711, executable:a.out", one line per task.
  std::vector<std::string> process_lines(
      const std::function<std::string(std::uint32_t rank)>& program) const;

 private:
  struct Task {
    std::string node;
    TaskPhase phase = TaskPhase::starting;
    std::uint32_t pid = 0;
  };
  struct Failure {
    std::string node, description;
    IdSet ranks;
  };
  void leave(Task& task, TaskPhase phase);

  std::map<std::uint32_t, Task> tasks_;
  std::map<std::string, std::vector<std::uint32_t>> ranks_of_;  // by node
  std::size_t left_ = 0;                                        // tasks that have not exited
  std::size_t begun_ = 0;                                       // tasks that have started
  std::vector<Failure> untold_;
  void fail(std::uint32_t wait_status);

  int exit_code_ = 0;
  std::uint32_t worst_status_ = 0;
  bool any_forced_ = false;
};

}  // namespace muster::cli
