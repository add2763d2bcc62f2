// The fields of a step: one row each, with the names in squeue -s and `scontrol show step`.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "cli/records/record_layout.h"
#include "cli/records/step_row.h"
#include "model/binding/distribution.h"

namespace muster::cli {

namespace step_table {
namespace {

using R = const StepRow&;
using V = FieldValue&;

constexpr const char* kNone = "";

void say_nothing(R, V v) { v.text(""); }

void say_step_id(R r, V v) {
  // A step of a component is shown with the component's own id.
  const Job& job = r.job();
  const std::string owner = job.is_het() ? std::to_string(job.id.value) : job_id_text(r.owner);
  v.text(fmt::format("{}.{}{}", owner, step_name(r.step->id), r.suffix));
}
std::int64_t step_key(R r) {
  // Step numbers are small, except for special steps (batch, extern), which are sorted last.
  return static_cast<std::int64_t>(std::uint64_t{r.job().id.value} << 31 |
                                   std::min(r.step->id.value, 0x7fffffffu));
}

void say_nodes(R r, V v) {
  const auto& shares = r.job().run->allocation;
  const auto& known = r.owner.view().node_names;
  std::vector<std::string> names;
  for (const StepNode& place : r.step->nodes)
    for (std::size_t i = 0; i < shares.size() && i < known.size(); ++i)
      if (shares[i].node == place.node) names.push_back(known[i].str());
  v.text(compress_hostlist(names));
}

// What each node of the step holds, as it was requested: "gres:gpu:1".
void say_devices(R r, V v) {
  std::string& text = v.text();
  if (r.step->id == kBatchStep || r.step->nodes.empty()) return;
  for (const GresShare& part : r.step->nodes.front().share.gres)
    text += fmt::format("{}gres:{}:{}", text.empty() ? "" : ",", part.name.view(), part.count);
}

void say_time_used(R r, V v) {
  const Step& step = *r.step;
  if (!is_set(step.started)) return v.span(Seconds{0});
  const Time until = is_set(step.ended) ? step.ended : r.owner.context->now;
  v.span(std::max(std::chrono::floor<Seconds>(until - step.started), Seconds{0}));
}

Tres tres_of(const Step& step) {
  std::vector<NodeShare> shares;
  for (const StepNode& at : step.nodes) shares.push_back(at.share);
  return total(shares);
}
void say_cpus(R r, V v) {
  std::uint64_t cpus = 0;
  if (r.step->id != kBatchStep)  // the script has no share of its own
    for (const StepNode& place : r.step->nodes) cpus += place.share.cpus.size();
  v.number(cpus);
}
void show_cpus(R r, V v) { v.number(is_numbered(r.step->id) ? tres_of(*r.step).cpus : 0); }
void show_tres(R r, V v) {
  if (!is_numbered(r.step->id)) return v.text("");
  const Tres tres = tres_of(*r.step);
  v.text(fmt::format("cpu={}{}", tres.cpus, gres_sums(tres.gres)));
  if (tres.memory_mib > 0) v.text(fmt::format(",mem={}", format_mib(tres.memory_mib)));
  v.text(fmt::format(",node={}", tres.nodes));
}

// The default layout is blocks, or cyclic with one task per node. If srun made the job itself, it
// is shown only with both -N and -n.
void show_layout(R r, V v) {
  const Step& step = *r.step;
  const JobSpec& spec = *r.job().spec;
  if (!is_numbered(step.id)) return;
  Distribution how;
  const bool is_counted = !spec.made_by_srun || (spec.nodes_given && spec.num_tasks);
  if (step.num_tasks <= step.nodes.size() && is_counted) how.kind = Distribution::Kind::cyclic;
  if (!step.distribution.empty()) how = parse_distribution(step.distribution.view()).value_or(how);
  v.text(distribution_name(how));
}

void say_amounts(R r, V v) {
  const Step& step = *r.step;
  std::string& text = v.text();
  if (step.tres.with_cpus) text = fmt::format("cpu:{}", step.num_tasks * step.cpus_per_task);
  if (!step.tres.per_step.empty()) text += fmt::format(",{}", step.tres.per_step.view());
}
void say_per_gpu(V v, std::uint64_t count) {
  v.text(count ? fmt::format("gres:gpu:{}", count) : "");
}

// clang-format off
constexpr Field<StepRow> kFields[] = {
    {{}, {'b', "tres-per-node", "TRES_PER_JOB"}, {"TresPerNode", kOmit, [](R r, V v) { v.text(r.step->tres.per_node); }}, say_devices},
    {{}, {'i', "StepID", "STEPID"}, {"StepId"}, say_step_id, {.key = step_key}},
    {{}, {'j', "StepName", "NAME", kNone}, {"Name", kNone}, [](R r, V v) { v.text(r.step->name); }},
    {{}, {'l', "TimeLimit", "TIME_LIMIT"}, {"TimeLimit"}, [](R r, V v) { v.limit(r.step->time_limit.count() == 0 ? kUnlimited : r.step->time_limit); }, {.whole = true}},
    {{}, {'u', "UserName", "USER", kNone}, {}, [](R r, V v) { v.text(user_name(r.owner)); }},
    {{}, {'A', "NumTasks", "TASKS"}, {"Tasks"}, [](R r, V v) { v.number(r.step->num_tasks); }},
    {{}, {'M', "TimeUsed", "TIME"}, {}, say_time_used, {.whole = true}},
    {{}, {'N', "Nodes", "NODELIST", kNone}, {"NodeList", kNone}, say_nodes, {.whole = true, .whole_header = true}},
    {{}, {'P', "Partition", "PARTITION"}, {"Partition", kNone}, [](R r, V v) { v.text(r.job().partition); }},
    {{}, {'S', "StartTime", "START_TIME"}, {"StartTime"}, [](R r, V v) { v.time(r.step->started); }, {.key = [](R r) -> std::int64_t { return r.step->started.time_since_epoch().count(); }}},
    {{}, {'U', "UserID", "UID"}, {"UserId"}, [](R r, V v) { v.number(r.job().spec->uid.value); }},
    {{}, {0, "ArrayJobID", "ARRAY_JOB_ID"}, {}, [](R r, V v) { v.number(r.job().array_id.value); }},
    {{}, {0, "ArrayTaskID", "ARRAY_TASK_ID", "N/A"}, {}, [](R r, V v) { v.text(task_id_text(r.owner)); }},
    {{}, {0, "Cluster", "CLUSTER"}, {}, [](R r, V v) { v.text(r.owner.context->cluster); }},
    {{}, {0, "Container", "CONTAINER"}, {}, say_nothing},
    {{}, {0, "CPUFreq", "CPU_FREQ"}, {"CPUFreqReq", nullptr, [](R, V v) { v.text("Default"); }}, [](R r, V v) { v.text(r.step->id == kBatchStep ? "0-0:0" : "Unknown-Unknown:Unknown"); }},
    {{}, {0, "cpus-per-tres", "CPUS_PER_TRES"}, {"CpusPerTres", kOmit}, [](R r, V v) { say_per_gpu(v, r.step->tres.cpus_per_gpu); }},
    {{}, {0, "JobID", "JOB_ID"}, {}, [](R r, V v) { v.number(r.job().id.value); }},
    {{}, {0, "mem-per-tres", "MEM_PER_TRES"}, {"MemPerTres", kOmit}, [](R r, V v) { say_per_gpu(v, r.step->tres.memory_per_gpu_mib); }},
    {{}, {0, "Network", "NETWORK"}, {"Network"}, say_nothing},
    {{}, {0, "NumCPUs", "NUM_CPUS"}, {"CPUs", nullptr, show_cpus}, say_cpus},
    {{}, {0, "StepState", "STATE"}, {"State"}, [](R r, V v) { v.text(state_name(r.step->state)); }},
    {{}, {0, "tres-bind", "TRES_BIND"}, {"TresBind", kOmit}, [](R r, V v) { v.text(r.step->tres.bind); }},
    {{}, {0, "tres-freq", "TRES_FREQ"}, {"TresFreq", kOmit}, [](R r, V v) { v.text(r.step->tres.freq); }},
    {{}, {0, "tres-per-job", "TRES_PER_STEP"}, {}, say_amounts},
    {{}, {0, "tres-per-socket", "TRES_PER_SOCKET"}, {"TresPerSocket", kOmit}, [](R r, V v) { v.text(r.step->tres.per_socket); }},
    {{}, {0, "tres-per-step", "TRES_PER_STEP"}, {"TresPerStep", kOmit}, say_amounts},
    {{}, {0, "tres-per-task", "TRES_PER_TASK"}, {"TresPerTask", kOmit}, [](R r, V v) { v.text(r.step->tres.per_task); }},

    // Fields of scontrol only.
    {{}, {}, {"Dist", kOmit}, show_layout},
    {{}, {}, {"Nodes"}, [](R r, V v) { v.number(r.step->nodes.size()); }},
    {{}, {}, {"ResvPorts"}, [](R r, V v) { v.text(r.step->reserved_ports.text()); }},
    {{}, {}, {"SrunHost:Pid"}, [](R r, V v) { v.text(fmt::format("{}:{}", or_null(r.step->srun_host.view()), r.step->srun_pid)); }},
    {{}, {}, {"TRES"}, show_tres},
};
// clang-format on

constexpr ShownLine<StepRow> kLines[] = {
    {"StepId UserId StartTime TimeLimit"},
    {"State Partition NodeList"},
    {"Nodes CPUs Tasks Name Network"},
    {"TRES"},
    {"ResvPorts"},
    {"CPUFreqReq Dist"},
    {"SrunHost:Pid"},
    {"CpusPerTres"},
    {"MemPerTres"},
    {"TresBind"},
    {"TresFreq"},
    {"TresPerStep"},
    {"TresPerNode"},
    {"TresPerSocket"},
    {"TresPerTask"},
};

}  // namespace
}  // namespace step_table

std::span<const Field<StepRow>> step_fields() { return step_table::kFields; }

std::string step_text(const wire::JobView& view, const Step& step, std::string_view suffix,
                      const ShowStyle& style) {
  static const RecordLayout<StepRow> layout(step_fields(), step_table::kLines);
  const QueueJob job{line_of(*view.job, view, style.context.now), &view};
  RecordLines lines(style);
  layout.append({{&job, &style.context}, &step, suffix}, style, lines);
  return lines.finish(false);
}

}  // namespace muster::cli
