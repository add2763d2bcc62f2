// muster explain for arrays: all tasks together.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/strings.h"
#include "cli/muster/explain_text.h"
#include "model/job/job_state.h"

namespace muster::cli {

namespace {

constexpr std::size_t kTasksNamed = 10;

std::string tasks_named(std::vector<std::uint32_t> tasks, JobId array) {
  std::ranges::sort(tasks);
  std::vector<std::string> names;
  for (std::uint32_t task : tasks) {
    if (names.size() == kTasksNamed) break;
    names.push_back(fmt::format("{}_{}", array.value, task));
  }
  std::string text = join(names, ", ");
  if (tasks.size() > kTasksNamed) text += fmt::format(" and {} more", tasks.size() - kTasksNamed);
  return text;
}

}  // namespace

std::string array_text(const std::vector<wire::JobView>& tasks) {
  std::map<JobState, std::vector<std::uint32_t>> by_state;
  std::size_t count = 0;
  for (const wire::JobView& view : tasks) {
    const Job& job = *view.job;
    std::vector<std::uint32_t>& ids = by_state[job.state];
    if (job.is_array_record())
      for (std::uint32_t task : job.waiting_tasks.ids()) ids.push_back(task);
    else
      ids.push_back(job.task_id);
    count += job.is_array_record() ? job.waiting_tasks.size() : 1;
  }
  const Job& first = *tasks.front().job;
  std::string text =
      fmt::format("Job {} ({}) of {} is an array of {} tasks\n", first.array_id.value,
                  first.own.name.view(), first.spec->user_name.view(), count);
  std::string_view label = "tasks:";
  for (const auto& [state, ids] : by_state) {
    std::string line = fmt::format("{} {}", ids.size(), state_name(state));
    if (is_ended(state) && state != JobState::completed)
      line += fmt::format(": {}", tasks_named(ids, first.array_id));
    text += explained_line(label, line);
    label = "";
  }
  return text;
}

}  // namespace muster::cli
