// The fields of jobs and steps in accounting: one row each, with the name in sacct and sstat, and
// the keys in the --json of jobs and steps, in the order of the latter.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/sacct/json_values.h"
#include "cli/sacct/row.h"
#include "cli/sacct/usage.h"

namespace muster::cli {

namespace {

using L = const AcctLine&;
using V = FieldValue&;
using Lines = AcctLine::Lines;

constexpr Lines kJobs = Lines::jobs, kSteps = Lines::steps;

struct Named {
  std::string_view name;
  int width = 0;           // negative = left-aligned
  const char* unset = "";  // printed if there is no value
};
constexpr Named kNoColumn{};

constexpr Field<AcctLine> row(Keyed<AcctLine> job, Keyed<AcctLine> step, Named named,
                              Getter<AcctLine> get, Lines lines = Lines::all) {
  return {job,
          {.letter = 0, .name = named.name, .header = named.name, .unset = named.unset},
          {},
          get,
          {.mark = {named.width, lines, step}}};
}
// A column that is not in --json.
constexpr Field<AcctLine> column(std::string_view name, int width, Getter<AcctLine> get,
                                 Lines lines = Lines::all) {
  return row({}, {}, {name, width}, get, lines);
}
// A value that is only in --json.
constexpr Field<AcctLine> keyed(Keyed<AcctLine> job, Keyed<AcctLine> step, Getter<AcctLine> get) {
  return row(job, step, kNoColumn, get);
}

template <auto Put>
void written(L l, V v) {
  Put(l, v.text());
}
template <auto Member>
void say_text(L l, V v) {
  v.text(l.job().*Member);
}
template <auto Member>
void say_text_or_nothing(L l, V v) {
  if (!(l.job().*Member).empty()) v.text(l.job().*Member);
}
template <auto Member>
void say_number(L l, V v) {
  v.number(l.job().*Member);
}
void say_nothing(L, V) {}
void say_blank(L, V v) { v.text(""); }
void say_zero(L, V v) { v.number(0); }
void say_empty_list(L, V v) { v.list({}); }

void say_seconds(V v, Millis span) { v.span(std::chrono::floor<Seconds>(span)); }

// A held job (priority 0) is not eligible.
void say_eligible(L l, V v) {
  const JobRecord& job = l.job();
  const bool is_held = job.state == JobState::pending && job.priority == 0;
  v.time(l.step ? l.step->started : is_held ? Time{} : job.eligible);
}
// How long the job waited while it was eligible.
Seconds waited(L l) {
  const JobRecord& job = l.job();
  if (!is_set(job.eligible)) return Seconds{0};
  const Time until = is_set(job.started) ? job.started
                     : is_set(job.ended) ? job.ended
                                         : l.context->now;
  return std::max(Seconds{unix_seconds(until) - unix_seconds(job.eligible)}, Seconds{0});
}

void say_limit(L l, V v) {
  if (l.job().time_limit.count() != 0) v.limit(l.job().time_limit);
}
void say_raw_limit(L l, V v) {
  const Minutes limit = l.job().time_limit;
  if (limit == kUnlimited)
    v.text("UNLIMITED");
  else if (limit.count() != 0)
    v.number(limit.count());
}

void say_user(L l, V v) {
  v.text(l.job().user_name.empty() ? std::string_view(l.context->names.user(l.job().uid))
                                   : l.job().user_name.view());
}
void say_group(L l, V v) {
  v.text(l.job().group_name.empty() ? std::string_view(l.context->names.group(l.job().gid))
                                    : l.job().group_name.view());
}
void say_killer(L l, V v) {
  if (l.job().state == JobState::cancelled) v.text(l.context->names.user(l.job().cancelled_by));
}

void say_node_count(L l, V v) {
  const JobRecord& job = l.job();
  v.number(l.step                    ? l.step->num_nodes
           : job.allocated_nodes > 0 ? job.allocated_nodes
                                     : job.requested_nodes);
}
void say_node_names(L l, V v) {
  auto names = expand_hostlist(l.step->nodes);
  v.list(names ? std::move(*names) : std::vector<std::string>{});
}

// Joules, in thousands for large numbers: "5.11K".
void say_energy(L l, V v) {
  double amount = static_cast<double>(l.step->usage.energy_j.total);
  std::string_view unit = "";
  for (std::string_view larger : {"K", "M", "G"})
    if (amount >= 1000) {
      amount /= 1000;
      unit = larger;
    }
  v.text(unit.empty() ? fmt::format("{}", amount) : fmt::format("{:.2f}{}", amount, unit));
}
void say_frequency(L l, V v) { v.text(l.step && l.step->step == kBatchStep ? "0" : "Unknown"); }

void say_requested_memory(L l, V v) {
  const auto mib = parse_mib(l.job().requested_memory);
  v.text(mib ? amount_text(*mib, 'M', l.context->units) : l.job().requested_memory.str());
}
void say_mib_requested(L l, V v) { v.number(parse_mib(l.job().requested_memory)); }
void say_allocated_tres(L l, V v) { v.text(tres_in_style(allocated_tres(l), l.context->units)); }
void say_requested_tres(L l, V v) {
  v.text(tres_in_style(l.job().requested_tres, l.context->units));
}

void say_cpu_time(L l, V v) { v.span(acct_elapsed(l) * static_cast<std::int64_t>(acct_cpus(l))); }

using J = JobRecord;
using U = Usage;

// clang-format off
constexpr Field<AcctLine> kFields[] = {
    row({"account"}, {}, {"Account", 10}, say_text<&J::account>),
    row({"comment.administrator"}, {}, {"AdminComment", 15}, say_text_or_nothing<&J::admin_comment>, kJobs),
    row({"comment.job"}, {}, {"Comment", 14}, say_text_or_nothing<&J::comment>, kJobs),
    row({"comment.system"}, {}, {"SystemComment", 15}, say_nothing),
    row({"allocation_nodes"}, {}, {"AllocNodes", 10}, [](L l, V v) { v.number(l.step ? l.step->num_nodes : l.job().allocated_nodes); }),
    keyed({"array.job_id"}, {}, [](L l, V v) { v.number(l.job().array_id.value); }),
    keyed({"array.limits.max.running.tasks"}, {}, say_zero),
    keyed({"array.task"}, {}, say_text_or_nothing<&J::waiting_tasks>),
    keyed({"array.task_id"}, {}, [](L l, V v) { if (l.job().task_id != kNoTask) v.number(l.job().task_id); }),
    keyed({"association.account"}, {}, say_text<&J::account>),
    keyed({"association.cluster"}, {}, say_text<&J::cluster>),
    keyed({"association.partition"}, {}, say_nothing),
    keyed({"association.user"}, {}, say_text<&J::user_name>),
    row({"cluster"}, {}, {"Cluster", 10}, say_text<&J::cluster>),
    row({"constraints"}, {}, {"Constraints", 19}, say_text<&J::constraints>, kJobs),
    row({"container"}, {}, {"Container", 19}, say_nothing),
    row({"derived_exit_code", nullptr, write_derived_exit_code}, {}, {"DerivedExitCode", 15}, [](L l, V v) { v.exit_status(l.job().derived_exit_status); }, kJobs),
    row({"time.elapsed"}, {"time.elapsed"}, {"Elapsed", 10}, [](L l, V v) { v.span(acct_elapsed(l)); }),
    row({"time.eligible"}, {}, {"Eligible", 19, nullptr}, say_eligible),
    row({"time.end"}, {"time.end"}, {"End", 19, nullptr}, [](L l, V v) { v.time(l.step ? l.step->ended : l.job().ended); }),
    row({"time.start"}, {"time.start"}, {"Start", 19, nullptr}, [](L l, V v) { v.time(acct_start(l)); }),
    row({"time.submission"}, {}, {"Submit", 19, nullptr}, [](L l, V v) { v.time(l.step ? l.step->started : l.job().submitted); }),
    row({"time.suspended"}, {"time.suspended"}, {"Suspended", 10}, [](L l, V v) { say_seconds(v, l.step ? l.step->suspended : l.job().suspended); }),
    row({"time.system", nullptr, write_system_cpu}, {"time.system", nullptr, write_system_cpu}, {"SystemCPU", 10}, [](L l, V v) { v.text(cpu_time_text(system_cpu_us(l))); }),
    row({"time.limit"}, {}, {"Timelimit", 10, "Partition_Limit"}, say_limit, kJobs),
    row({"time.total", nullptr, write_total_cpu}, {"time.total", nullptr, write_total_cpu}, {"TotalCPU", 10}, [](L l, V v) { v.text(cpu_time_text(total_cpu_us(l))); }),
    row({"time.user", nullptr, write_user_cpu}, {"time.user", nullptr, write_user_cpu}, {"UserCPU", 10}, [](L l, V v) { v.text(cpu_time_text(user_cpu_us(l))); }),
    row({"exit_code", nullptr, write_exit_code}, {"exit_code", nullptr, write_exit_code}, {"ExitCode", 8}, [](L l, V v) { v.exit_status(exit_status(l)); }),
    row({"flags", [](L l, V v) { v.list(split_list(l.job().flags)); }}, {}, {"Flags", 19}, say_text<&J::flags>, kJobs),
    row({"group"}, {}, {"Group", 9}, say_group, kJobs),
    keyed({"het.job_id"}, {}, [](L l, V v) { v.number(l.job().het_id.value); }),
    keyed({"het.job_offset"}, {}, [](L l, V v) { if (l.job().het_id) v.number(l.job().het_offset); }),
    row({"job_id"}, {"step.job_id"}, {"DBIndex", -10}, [](L l, V v) { v.number(l.job().job.value); }),
    keyed({}, {"step.het.component"}, say_nothing),
    keyed({}, {"step.id", nullptr, write_step_id}, say_nothing),
    row({"name"}, {"step.name"}, {"JobName", 10}, [](L l, V v) { v.text(l.step ? l.step->name : l.job().name); }),
    row({"mcs.label"}, {}, {"McsLabel", 12}, say_blank),
    keyed({}, {"nodes.list"}, say_node_names),
    row({}, {"nodes.count"}, {"NNodes", 8}, say_node_count),
    row({"nodes", [](L l, V v) { v.text(l.job().nodes.empty() ? "None assigned" : l.job().nodes.view()); }}, {"nodes.range"}, {"NodeList", 15, "None assigned"}, [](L l, V v) { v.text(l.step ? l.step->nodes : l.job().nodes); }),
    row({"partition"}, {}, {"Partition", 10}, say_text<&J::partition>, kJobs),
    row({"priority"}, {}, {"Priority", 10}, say_number<&J::priority>, kJobs),
    row({"qos"}, {}, {"QOS", 10}, say_text<&J::qos>, kJobs),
    row({"required.CPUs"}, {}, {"ReqCPUS", 8}, [](L l, V v) { v.number(l.step ? l.step->num_cpus : l.job().requested_cpus); }),
    row({"required.memory", say_mib_requested}, {}, {"ReqMem", 10}, say_requested_memory, kJobs),
    keyed({"kill_request_user"}, {"kill_request_user", say_nothing}, say_killer),
    row({"reservation.id", say_zero}, {}, {"ReservationId", 8}, say_nothing),
    row({"reservation.name"}, {}, {"Reservation", 20}, say_text<&J::reservation>, kJobs),
    row({"state.current", [](L l, V v) { const std::string state = acct_state(l); v.text(state.substr(0, state.find(' '))); }}, {"state"}, {"State", 10}, [](L l, V v) { v.text(acct_state(l)); }),
    row({"state.reason"}, {}, {"Reason", 22}, [](L l, V v) { v.text(l.job().reason.empty() ? "None" : l.job().reason.view()); }, kJobs),
    keyed({"steps", nullptr, write_steps}, {}, say_nothing),
    keyed({}, {"tres.requested", nullptr, write_measures}, say_nothing),
    keyed({}, {"tres.consumed", nullptr, write_no_measures}, say_nothing),
    row({"tres.allocated", nullptr, write_allocated_tres}, {"tres.allocated", nullptr, write_allocated_tres}, {"AllocTRES", 10}, say_allocated_tres),
    row({"tres.requested", nullptr, write_requested_tres}, {}, {"ReqTRES", 10}, say_requested_tres, kJobs),
    row({"user"}, {}, {"User", 9}, say_user, kJobs),
    row({"wckey.wckey"}, {}, {"WCKey", 10}, say_text<&J::wckey>, kJobs),
    keyed({"wckey.flags"}, {}, say_empty_list),
    row({"working_directory"}, {}, {"WorkDir", 20}, say_text<&J::work_dir>, kJobs),

    // Fields of steps only.
    row({}, {"tasks.count"}, {"NTasks", 8}, [](L l, V v) { v.number(l.step->num_tasks); }, kSteps),
    keyed({}, {"pid"}, say_nothing),
    keyed({}, {"CPU.requested_frequency", nullptr, write_frequency}, say_nothing),
    keyed({}, {"CPU.governor"}, say_empty_list),
    keyed({}, {"statistics.CPU.actual_frequency"}, say_zero),
    row({}, {"statistics.energy.consumed", say_zero}, {"ConsumedEnergyRaw", 17}, [](L l, V v) { v.number(l.step->usage.energy_j.total); }, kSteps),
    row({}, {"task.distribution"}, {"Layout", 9}, [](L l, V v) { v.text(is_numbered(l.step->step) ? "Block" : "Unknown"); }, kSteps),

    // Columns that are not in --json.
    column("AllocCPUS", 10, [](L l, V v) { v.number(acct_cpus(l)); }),
    column("AssocID", 7, say_zero),
    column("AveCPU", 10, written<put_measure<&U::cpu_us, average_of, put_cpu_amount>>),
    column("AveCPUFreq", 10, say_zero, kSteps),
    column("AveDiskRead", 14, written<put_measure<&U::read_bytes, average_of, put_disk_amount>>),
    column("AveDiskWrite", 14, written<put_measure<&U::written_bytes, average_of, put_disk_amount>>),
    column("AvePages", 10, written<put_measure<&U::pages, average_of, put_count>>),
    column("AveRSS", 10, written<put_measure<&U::rss_kib, average_of, put_kib_amount>>),
    column("AveVMSize", 10, written<put_measure<&U::vmem_kib, average_of, put_kib_amount>>),
    column("BlockID", 16, say_nothing),
    column("ConsumedEnergy", 14, say_energy, kSteps),
    column("CPUTime", 10, say_cpu_time),
    column("CPUTimeRAW", 10, [](L l, V v) { v.number(static_cast<std::uint64_t>(acct_elapsed(l).count()) * acct_cpus(l)); }),
    column("ElapsedRaw", 10, [](L l, V v) { v.number(acct_elapsed(l).count()); }),
    column("GID", 6, [](L l, V v) { v.number(l.job().gid.value); }, kJobs),
    column("JobID", -12, [](L l, V v) { v.text(acct_job_id(l)); }),
    column("JobIDRaw", -12, [](L l, V v) { v.text(acct_job_id_raw(l)); }),
    column("MaxDiskRead", 12, written<put_measure<&U::read_bytes, max_of, put_disk_amount>>),
    column("MaxDiskReadNode", 15, written<put_measure_node<&U::read_bytes, max_node_of>>),
    column("MaxDiskReadTask", 15, written<put_measure_task<&U::read_bytes, max_task_of>>),
    column("MaxDiskWrite", 12, written<put_measure<&U::written_bytes, max_of, put_disk_amount>>),
    column("MaxDiskWriteNode", 16, written<put_measure_node<&U::written_bytes, max_node_of>>),
    column("MaxDiskWriteTask", 16, written<put_measure_task<&U::written_bytes, max_task_of>>),
    column("MaxPages", 8, written<put_measure<&U::pages, max_of, put_count>>),
    column("MaxPagesNode", 12, written<put_measure_node<&U::pages, max_node_of>>),
    column("MaxPagesTask", 14, written<put_measure_task<&U::pages, max_task_of>>),
    column("MaxRSS", 10, written<put_measure<&U::rss_kib, max_of, put_kib_amount>>),
    column("MaxRSSNode", 10, written<put_measure_node<&U::rss_kib, max_node_of>>),
    column("MaxRSSTask", 10, written<put_measure_task<&U::rss_kib, max_task_of>>),
    column("MaxVMSize", 10, written<put_measure<&U::vmem_kib, max_of, put_kib_amount>>),
    column("MaxVMSizeNode", 14, written<put_measure_node<&U::vmem_kib, max_node_of>>),
    column("MaxVMSizeTask", 14, written<put_measure_task<&U::vmem_kib, max_task_of>>),
    column("MinCPU", 10, written<put_measure<&U::cpu_us, min_of, put_cpu_amount>>),
    column("MinCPUNode", 10, written<put_measure_node<&U::cpu_us, min_node_of>>),
    column("MinCPUTask", 10, written<put_measure_task<&U::cpu_us, min_task_of>>),
    column("NCPUS", 10, [](L l, V v) { v.number(acct_cpus(l)); }),
    column("QOSRAW", 6, [](L l, V v) { v.number(l.job().qos.empty() ? 0 : 1); }, kJobs),
    column("ReqCPUFreq", 10, say_frequency),
    column("ReqCPUFreqGov", 13, say_frequency),
    column("ReqCPUFreqMax", 13, say_frequency),
    column("ReqCPUFreqMin", 13, say_frequency),
    column("ReqNodes", 8, [](L l, V v) { v.number(l.step ? l.step->num_nodes : l.job().requested_nodes); }),
    column("Reserved", 10, [](L l, V v) { v.span(waited(l)); }, kJobs),
    column("ResvCPU", 10, [](L l, V v) { v.span(waited(l) * l.job().requested_cpus); }, kJobs),
    column("ResvCPURAW", 10, [](L l, V v) { v.number(waited(l).count() * l.job().requested_cpus); }, kJobs),
    column("SubmitLine", 20, [](L l, V v) { v.text(l.step ? l.step->submit_line : l.job().submit_line); }),
    row({}, {}, {"TimelimitRaw", 10, "Partition_Limit"}, say_raw_limit, kJobs),
    column("TRESUsageInAve", 14, [](L l, V v) { v.text(usage_in_text(l, average_of)); }),
    column("TRESUsageInMax", 14, [](L l, V v) { v.text(usage_in_text(l, max_of)); }),
    column("TRESUsageInMaxNode", 18, [](L l, V v) { v.text(usage_in_nodes(l, max_node_of)); }),
    column("TRESUsageInMaxTask", 18, [](L l, V v) { v.text(usage_in_tasks(l, max_task_of)); }),
    column("TRESUsageInMin", 14, [](L l, V v) { v.text(usage_in_text(l, min_of)); }),
    column("TRESUsageInMinNode", 18, [](L l, V v) { v.text(usage_in_nodes(l, min_node_of)); }),
    column("TRESUsageInMinTask", 18, [](L l, V v) { v.text(usage_in_tasks(l, min_task_of)); }),
    column("TRESUsageInTot", 14, [](L l, V v) { v.text(usage_in_text(l, total_of)); }),
    column("TRESUsageOutAve", 15, [](L l, V v) { v.text(usage_out_text(l, average_of)); }),
    column("TRESUsageOutMax", 15, [](L l, V v) { v.text(usage_out_text(l, max_of)); }),
    column("TRESUsageOutMaxNode", 19, [](L l, V v) { v.text(usage_out_nodes(l, max_node_of)); }),
    column("TRESUsageOutMaxTask", 19, [](L l, V v) { v.text(usage_out_tasks(l, max_task_of)); }),
    column("TRESUsageOutMin", 15, [](L l, V v) { v.text(usage_out_text(l, min_of)); }),
    column("TRESUsageOutMinNode", 19, [](L l, V v) { v.text(usage_out_nodes(l, min_node_of)); }),
    column("TRESUsageOutMinTask", 19, [](L l, V v) { v.text(usage_out_tasks(l, min_task_of)); }),
    column("TRESUsageOutTot", 15, [](L l, V v) { v.text(usage_out_text(l, total_of)); }),
    column("UID", 6, [](L l, V v) { v.number(l.job().uid.value); }, kJobs),
    column("WCKeyID", 10, say_zero, kJobs),
};
// clang-format on

}  // namespace

std::span<const Field<AcctLine>> acct_table() { return kFields; }

void AcctField::append(const AcctLine& line, std::string& out) const {
  const Lines lines = field->how.mark.lines;
  if (lines == (line.step ? Lines::jobs : Lines::steps)) return;
  FieldValue value;
  out += listed_text(*field, line, value);
}

std::span<const AcctField> acct_fields() {
  static const std::vector<AcctField> fields = [] {
    std::vector<AcctField> all;
    for (const Field<AcctLine>& field : kFields)
      if (!field.listed.name.empty())
        all.push_back({&field, field.listed.name, field.how.mark.width});
    std::ranges::sort(all, {}, [](const AcctField& field) { return lower(field.name); });
    return all;
  }();
  return fields;
}

// Names of later releases; -e lists those of 22.05.
static const AcctField* find_later_name(std::string_view name) {
  static const std::vector<AcctField> later = [] {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"Planned", "Reserved"}, {"PlannedCPU", "ResvCPU"}, {"PlannedCPURAW", "ResvCPURAW"}};
    std::vector<AcctField> all;
    for (const auto& [new_name, old_name] : kNames)
      all.push_back({find_acct_field(old_name)->field, new_name, find_acct_field(old_name)->width});
    return all;
  }();
  auto at = std::ranges::find_if(later, [&](const AcctField& f) { return iequals(f.name, name); });
  return at == later.end() ? nullptr : &*at;
}

const AcctField* find_acct_field(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const AcctField& field : acct_fields())
    if (istarts_with(field.name, name)) return &field;
  return find_later_name(name);
}

}  // namespace muster::cli
