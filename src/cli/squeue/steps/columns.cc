// squeue -s: the columns of steps.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "cli/records/record_text.h"
#include "cli/squeue/row.h"

namespace muster::cli {

namespace {

using Row = const StepRow&;
using Out = std::string&;

constexpr bool kWhole = true, kWholeHeader = true;

void put_null(Row, Out out) { out += "(null)"; }

// What every node of the step holds, as it was asked for: "gres:gpu:1".
void put_gres(Row row, Out out) {
  std::string text;
  if (row.step->id != kBatchStep && !row.step->nodes.empty())
    for (const GresShare& part : row.step->nodes.front().share.gres)
      text += fmt::format("{}gres:{}:{}", text.empty() ? "" : ",", part.name.view(), part.count);
  out += or_null(text);
}
Seconds time_used(Row row) {
  if (!is_set(row.step->started)) return Seconds{0};
  Time until = is_set(row.step->ended) ? row.step->ended : row.owner.context->now;
  return std::max(std::chrono::floor<Seconds>(until - row.step->started), Seconds{0});
}
std::int64_t step_key(Row row) {
  // Step numbers are small but for the special ones (batch, extern), which sort last.
  return static_cast<std::int64_t>(std::uint64_t{row.owner.job().id.value} << 31 |
                                   std::min(row.step->id.value, 0x7fffffffu));
}
void put_tasks(Row row, Out out) { out += std::to_string(row.step->num_tasks); }
void put_cpus(Row row, Out out) {
  std::uint64_t cpus = 0;
  if (row.step->id != kBatchStep)  // the script uses what its job has, not a share of its own
    for (const StepNode& place : row.step->nodes) cpus += place.share.cpus.size();
  out += std::to_string(cpus);
}
void put_cpu_frequency(Row row, Out out) {
  out += row.step->id == kBatchStep ? "0-0:0" : "Unknown-Unknown:Unknown";
}
void put_limit(Row row, Out out) {
  Minutes limit = row.step->time_limit;
  out += limit.count() == 0 ? "UNLIMITED" : format_elapsed_short(limit);
}
void put_task_id(Row row, Out out) { out += task_id_text(row.owner); }
void put_nodes(Row row, Out out) { out += step_nodes(row); }

constexpr Column<StepRow> kStepColumns[] = {
    {'b', "tres-per-node", "TRES_PER_JOB", put_gres},
    {'i', "StepID", "STEPID", [](Row r, Out o) { o += step_id_text(r); }, step_key},
    {'j', "StepName", "NAME", [](Row r, Out o) { o += r.step->name; }},
    {'l', "TimeLimit", "TIME_LIMIT", put_limit, nullptr, kWhole},
    {'u', "UserName", "USER", [](Row r, Out o) { o += user_name(r.owner); }},
    {'A', "NumTasks", "TASKS", put_tasks, [](Row r) -> std::int64_t { return r.step->num_tasks; }},
    {'M', "TimeUsed", "TIME", [](Row r, Out o) { o += format_elapsed_short(time_used(r)); },
     [](Row r) -> std::int64_t { return time_used(r).count(); }, kWhole},
    {'N', "Nodes", "NODELIST", put_nodes, nullptr, kWhole, nullptr, kWholeHeader},
    {'P', "Partition", "PARTITION", [](Row r, Out o) { o += or_null(r.owner.job().partition); }},
    {'S', "StartTime", "START_TIME",
     [](Row r, Out o) { r.owner.context->times.append(r.step->started, "N/A", o); },
     [](Row r) -> std::int64_t { return r.step->started.time_since_epoch().count(); }},
    {'U', "UserID", "UID", [](Row r, Out o) { o += std::to_string(r.owner.spec().uid.value); },
     [](Row r) -> std::int64_t { return r.owner.spec().uid.value; }},
    {0, "ArrayJobID", "ARRAY_JOB_ID",
     [](Row r, Out o) { o += std::to_string(r.owner.job().array_id.value); }},
    {0, "ArrayTaskID", "ARRAY_TASK_ID", put_task_id},
    {0, "Cluster", "CLUSTER", [](Row r, Out o) { o += or_null(r.owner.context->cluster); }},
    {0, "Container", "CONTAINER", put_null},
    {0, "CPUFreq", "CPU_FREQ", put_cpu_frequency},
    {0, "cpus-per-tres", "CPUS_PER_TRES", put_null},
    {0, "JobID", "JOB_ID", [](Row r, Out o) { o += std::to_string(r.owner.job().id.value); }},
    {0, "mem-per-tres", "MEM_PER_TRES", put_null},
    {0, "Network", "NETWORK", put_null},
    {0, "NumCPUs", "NUM_CPUS", put_cpus},
    {0, "StepState", "STATE", [](Row r, Out o) { o += state_name(r.step->state); }},
    {0, "tres-bind", "TRES_BIND", [](Row r, Out o) { o += or_null(r.step->tres.bind); }},
    {0, "tres-freq", "TRES_FREQ", [](Row r, Out o) { o += or_null(r.step->tres.freq); }},
    {0, "tres-per-job", "TRES_PER_STEP", put_null},
    {0, "tres-per-socket", "TRES_PER_SOCKET", put_null},
    {0, "tres-per-step", "TRES_PER_STEP", put_null},
    {0, "tres-per-task", "TRES_PER_TASK",
     [](Row r, Out o) { o += or_null(r.step->tres.per_task); }},
};

}  // namespace

std::span<const Column<StepRow>> step_columns() { return kStepColumns; }

}  // namespace muster::cli
