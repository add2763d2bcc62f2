// Records the ends of tasks, and writes srun's messages and exit code about them.
#include "cli/allocation/exits.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/text/signals.h"
#include "cli/tables/ranges.h"

namespace muster::cli {

std::string exit_description(std::uint32_t wait_status, bool out_of_memory) {
  int status = static_cast<int>(wait_status);
  if (out_of_memory) return "Out Of Memory";
  if (!WIFSIGNALED(status)) return fmt::format("Exited with exit code {}", WEXITSTATUS(status));
  std::string text = signal_description(WTERMSIG(status));
  return WCOREDUMP(status) ? text + " (core dumped)" : text;
}

static constexpr std::uint32_t kExitedWithOne = 1u << 8;  // a wait status

int exit_code_of_status(std::uint32_t wait_status) {
  int status = static_cast<int>(wait_status);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void TaskBook::add_place(const std::string& node, const std::vector<std::uint32_t>& ranks) {
  for (std::uint32_t rank : ranks) {
    tasks_[rank] = {.node = node};
    ranks_of_[node].push_back(rank);
  }
  left_ = tasks_.size();
}

void TaskBook::leave(Task& task, TaskPhase phase) {
  task.phase = phase;
  --left_;
}

void TaskBook::started(std::uint32_t rank, std::uint32_t pid) {
  auto task = tasks_.find(rank);
  if (task == tasks_.end() || task->second.phase != TaskPhase::starting) return;
  task->second.phase = TaskPhase::running;
  task->second.pid = pid;
  ++begun_;
}

std::vector<std::string> TaskBook::process_lines(
    const std::function<std::string(std::uint32_t rank)>& program) const {
  std::vector<std::string> lines;
  for (const auto& [rank, task] : tasks_)
    lines.push_back(fmt::format("task:{}, host:{}, pid:{}, executable:{}", rank, task.node,
                                task.pid, program(rank)));
  return lines;
}

void TaskBook::fail(std::uint32_t wait_status) {
  int code = exit_code_of_status(wait_status);
  if (code <= exit_code_) return;
  exit_code_ = code;
  worst_status_ = wait_status;
}

void TaskBook::aborted() { fail(kExitedWithOne); }

void TaskBook::exited(std::uint32_t rank, std::uint32_t wait_status, bool out_of_memory) {
  auto found = tasks_.find(rank);
  if (found == tasks_.end()) return;
  Task& task = found->second;
  if (task.phase == TaskPhase::exited || task.phase == TaskPhase::exited_abnormally) return;
  bool failed = wait_status != 0 || out_of_memory;
  leave(task, failed ? TaskPhase::exited_abnormally : TaskPhase::exited);
  const int signal = WTERMSIG(static_cast<int>(wait_status));
  any_forced_ |= signal == SIGKILL || signal == SIGTERM;
  if (!failed) return;
  fail(wait_status != 0 ? wait_status : kExitedWithOne);
  std::string description = exit_description(wait_status, out_of_memory);
  auto same = std::ranges::find_if(untold_, [&](const Failure& f) {
    return f.node == task.node && f.description == description;
  });
  if (same == untold_.end()) same = untold_.insert(same, Failure{task.node, description, {}});
  same->ranks.insert(rank);
}

void TaskBook::lost(const std::string& node) {
  for (std::uint32_t rank : ranks_of_[node]) {
    Task& task = tasks_.at(rank);
    if (task.phase == TaskPhase::exited || task.phase == TaskPhase::exited_abnormally) continue;
    leave(task, TaskPhase::exited_abnormally);
    fail(kExitedWithOne);
  }
}

std::vector<std::string> TaskBook::take_messages(std::string_view node) {
  std::vector<std::string> lines;
  std::erase_if(untold_, [&](const Failure& failure) {
    if (!node.empty() && failure.node != node) return false;
    lines.push_back(fmt::format("{}: {} {}: {}", failure.node,
                                failure.ranks.size() == 1 ? "task" : "tasks",
                                ranges_text(failure.ranks), failure.description));
    return true;
  });
  return lines;
}

std::vector<std::string> TaskBook::status_lines(const std::string& step) const {
  static constexpr std::string_view kWords[] = {"starting", "running", "exited",
                                                "exited abnormally"};
  std::vector<std::string> lines;
  for (TaskPhase phase :
       {TaskPhase::starting, TaskPhase::running, TaskPhase::exited, TaskPhase::exited_abnormally}) {
    IdSet ranks;
    for (const auto& [rank, task] : tasks_)
      if (task.phase == phase) ranks.insert(rank);
    if (ranks.empty()) continue;
    lines.push_back(fmt::format("StepId={} {} {}: {}", step, ranks.size() == 1 ? "task" : "tasks",
                                ranges_text(ranks), kWords[static_cast<std::size_t>(phase)]));
  }
  return lines;
}

}  // namespace muster::cli
