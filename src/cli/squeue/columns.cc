// squeue's columns of jobs. Those with a letter come first, in the order in which %all prints them.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "cli/records/record_text.h"
#include "cli/squeue/row.h"
#include "cli/tables/lists.h"
#include "model/job/task_count.h"

namespace muster::cli {

namespace {

using Row = const JobRow&;
using Out = std::string&;

constexpr bool kWhole = true, kWholeHeader = true;

void put_number(Out out, std::uint64_t number) { out += std::to_string(number); }
void put_or_null(Out out, std::string_view text) { out += or_null(text); }
void put_or_na(Out out, std::string_view text) { out += text.empty() ? "N/A" : text; }
template <class T>
void put_or(Out out, const std::optional<T>& number, std::string_view otherwise) {
  if (number)
    put_number(out, *number);
  else
    out += otherwise;
}
void put_time(Row row, Time t, Out out) { row.context->times.append(t, "N/A", out); }
std::int64_t time_key(Time t) { return is_set(t) ? t.time_since_epoch().count() : kUnsetKey; }
void put_null(Row, Out out) { out += "(null)"; }
void put_federation(Row, Out out) { out += "NA"; }  // no cluster of ours is in a federation
void put_zero(Row, Out out) { out += '0'; }
void put_nothing(Row, Out) {}

void put_limit(Row row, Out out) {
  Minutes limit = time_limit(row);
  out += limit == kUnlimited ? "UNLIMITED" : format_elapsed_short(limit);
}
std::int64_t limit_key(Row row) { return time_limit(row).count(); }
void put_priority_share(Row row, Out out) {
  constexpr double kLargest = 4294967295.0;
  out += fmt::format("{:.14f}", row.priority() / kLargest);
}
std::int64_t priority_key(Row row) { return row.priority(); }
void put_over_subscribe(Row row, Out out) { out += sharing_name(row.view().sharing); }
void put_sockets_cores_threads(Row row, Out out) {
  const JobSpec& spec = row.spec();
  put_or(out, spec.sockets_per_node, "*");
  out += ':';
  put_or(out, spec.cores_per_socket, "*");
  out += ':';
  put_or(out, spec.threads_per_core, "*");
}
void put_tmp_disk(Row row, Out out) {
  std::uint64_t mib = row.spec().tmp_disk_mib.value_or(0);
  out += mib == 0 ? "0" : format_mib(mib);
}
void put_array_job(Row row, Out out) {
  put_number(out, (row.line().array_id ? row.line().array_id : row.line().id).value);
}
void put_het_id(Row row, Out out) {
  out += row.job().is_het() ? std::to_string(row.job().het_id.value) : "N/A";
}
void put_het_jobs(Row row, Out out) {
  out += row.job().is_het() ? row.job().het_jobs().text() : "N/A";
}
void put_het_offset(Row row, Out out) {
  out += row.job().is_het() ? std::to_string(row.job().het_offset) : "N/A";
}
void put_job_number(Row row, Out out) { put_number(out, row.line().id.value); }
std::int64_t job_number_key(Row row) { return row.line().id.value; }
void put_batch_host(Row row, Out out) {
  out += row.view().batch_host.empty() ? std::string_view("n/a") : row.view().batch_host.view();
}
void put_group_name(Row row, Out out) { out += row.context->names.group(row.spec().gid); }
void put_pending_time(Row row, Out out) {
  Time until = is_set(row.job().run->started) ? row.job().run->started : row.context->now;
  out += std::to_string(
      std::max<std::int64_t>(unix_seconds(until) - unix_seconds(row.job().submitted), 0));
}
void put_per_gpu(Out out, const auto& count) {
  out += count ? fmt::format("gres:gpu:{}", *count) : "N/A";
}
void put_max_nodes(Row row, Out out) {
  put_number(out, row.spec().max_nodes ? row.spec().max_nodes : row.line().num_nodes);
}
void put_standard_in(Row row, Out out) {
  out += row.job().own.std_in.empty() ? std::string_view("/dev/null") : row.job().own.std_in.view();
}

// Node lists are never cut, reasons are.
void put_reason_or_nodes_within(Row row, std::size_t width, Out out) {
  std::string text = reason_or_nodes(row);
  if (text.starts_with('(')) text.resize(std::min(text.size(), width));
  out += text;
}

constexpr Column<JobRow> kJobColumns[] = {
    {'a', "Account", "ACCOUNT", [](Row r, Out o) { put_or_null(o, r.job().account); }},
    {'b', "tres-per-node", "TRES_PER_NODE",
     [](Row r, Out o) { put_or_na(o, tres_list(gres_of_each_node(r.spec()))); }},
    {'c', "MinCpus", "MIN_CPUS", [](Row r, Out o) { put_number(o, min_cpus(r.spec())); },
     [](Row r) { return static_cast<std::int64_t>(min_cpus(r.spec())); }},
    {'d', "MinTmpDisk", "MIN_TMP_DISK", put_tmp_disk,
     [](Row r) { return static_cast<std::int64_t>(r.spec().tmp_disk_mib.value_or(0)); }},
    {'e', "EndTime", "END_TIME", [](Row r, Out o) { put_time(r, end_time(r), o); },
     [](Row r) { return time_key(end_time(r)); }},
    {'f', "Feature", "FEATURES", [](Row r, Out o) { put_or_null(o, r.spec().features); }},
    {'g', "GroupName", "GROUP", put_group_name},
    {'h', "OverSubscribe", "OVER_SUBSCRIBE", put_over_subscribe},
    {'i', "JobArrayID", "JOBID", [](Row r, Out o) { o += job_id_text(r); }, job_id_key},
    {'j', "Name", "NAME", [](Row r, Out o) { put_or_null(o, r.line().name); }},
    {'k', "Comment", "COMMENT", [](Row r, Out o) { put_or_null(o, r.job().own.comment); }},
    {'l', "TimeLimit", "TIME_LIMIT", put_limit, limit_key, kWhole},
    {'m', "MinMemory", "MIN_MEMORY", [](Row r, Out o) { o += memory_text(r); },
     [](Row r) {
       return static_cast<std::int64_t>(
           r.spec().memory_per_cpu_mib.value_or(r.spec().memory_per_node_mib.value_or(0)));
     }},
    {'n', "ReqNodes", "REQ_NODES", [](Row r, Out o) { o += r.spec().required_nodes; }, nullptr,
     kWhole},
    {'o', "Command", "COMMAND", [](Row r, Out o) { o += command_text(r.job().own); }},
    {'p', "Priority", "PRIORITY", put_priority_share, priority_key},
    {'q', "QOS", "QOS", [](Row r, Out o) { put_or_null(o, r.job().qos); }},
    {'r', "Reason", "REASON", [](Row r, Out o) { o += r.line().reason; }},
    {'s', "SelectJobInfo", "", put_nothing},
    {'t', "StateCompact", "ST", [](Row r, Out o) { o += job_state_code(r); }},
    {'u', "UserName", "USER", [](Row r, Out o) { o += user_name(r); }},
    {'v', "Reservation", "RESERVATION",
     [](Row r, Out o) { put_or_null(o, r.job().shown_reservation()); }},
    {'w', "WCKey", "WCKEY", [](Row r, Out o) { put_or_null(o, r.spec().wckey); }},
    {'x', "", "EXC_NODES", [](Row r, Out o) { o += r.spec().excluded_nodes; }, nullptr, kWhole},
    {'y', "Nice", "NICE", [](Row r, Out o) { o += std::to_string(r.spec().nice); },
     [](Row r) -> std::int64_t { return r.spec().nice; }},
    {'z', "SCT", "S:C:T", put_sockets_cores_threads},
    {'A', "JobID", "JOBID", put_job_number, job_number_key},
    {'B', "BatchHost", "EXEC_HOST", put_batch_host},
    {'C', "NumCPUs", "CPUS", [](Row r, Out o) { put_number(o, cpu_count(r)); },
     [](Row r) { return static_cast<std::int64_t>(cpu_count(r)); }},
    {'D', "NumNodes", "NODES", [](Row r, Out o) { put_number(o, r.line().num_nodes); },
     [](Row r) { return static_cast<std::int64_t>(r.line().num_nodes); }},
    {'E', "Dependency", "DEPENDENCY", [](Row r, Out o) { put_or_null(o, r.view().dependency); }},
    {'F', "ArrayJobID", "ARRAY_JOB_ID", put_array_job, job_id_key},
    {'G', "GroupID", "GROUP", [](Row r, Out o) { put_number(o, r.spec().gid.value); },
     [](Row r) -> std::int64_t { return r.spec().gid.value; }},
    {'H', "Sockets", "SOCKETS_PER_NODE",
     [](Row r, Out o) { put_or(o, r.spec().sockets_per_node, "*"); }},
    {'I', "Cores", "CORES_PER_SOCKET",
     [](Row r, Out o) { put_or(o, r.spec().cores_per_socket, "*"); }},
    {'J', "Threads", "THREADS_PER_CORE",
     [](Row r, Out o) { put_or(o, r.spec().threads_per_core, "*"); }},
    {'K', "ArrayTaskID", "ARRAY_TASK_ID", [](Row r, Out o) { o += task_id_text(r); }, job_id_key},
    {'L', "TimeLeft", "TIME_LEFT", [](Row r, Out o) { o += time_left_text(r); },
     [](Row r) {
       return time_limit(r) == kUnlimited ? kUnsetKey
                                          : (Seconds(time_limit(r)) - time_used(r)).count();
     },
     kWhole},
    {'M', "TimeUsed", "TIME", [](Row r, Out o) { o += format_elapsed_short(time_used(r)); },
     [](Row r) -> std::int64_t { return time_used(r).count(); }, kWhole},
    {'N', "NodeList", "NODELIST", [](Row r, Out o) { o += r.line().nodes; }, nullptr, kWhole,
     nullptr, kWholeHeader},
    {'O', "Contiguous", "CONTIGUOUS", [](Row r, Out o) { put_number(o, r.spec().contiguous); }},
    {'P', "Partition", "PARTITION",
     [](Row r, Out o) { put_or_null(o, r.partition.empty() ? r.line().partition : r.partition); }},
    {'Q', "PriorityLong", "PRIORITY", [](Row r, Out o) { put_number(o, r.priority()); },
     priority_key},
    {'R', "ReasonList", "NODELIST(REASON)", [](Row r, Out o) { o += reason_or_nodes(r); }, nullptr,
     kWhole, put_reason_or_nodes_within, kWholeHeader},
    {'S', "StartTime", "START_TIME", [](Row r, Out o) { put_time(r, start_time(r), o); },
     [](Row r) { return time_key(start_time(r)); }},
    {'T', "State", "STATE", [](Row r, Out o) { o += job_state_text(r); }},
    {'U', "UserID", "UID", [](Row r, Out o) { put_number(o, r.line().uid.value); },
     [](Row r) -> std::int64_t { return r.line().uid.value; }},
    {'V', "SubmitTime", "SUBMIT_TIME", [](Row r, Out o) { put_time(r, r.job().submitted, o); },
     [](Row r) { return time_key(r.job().submitted); }},
    {'W', "Licenses", "LICENSES", [](Row r, Out o) { put_or_null(o, r.spec().licenses); }},
    {'X', "CoreSpec", "CORE_SPEC", [](Row r, Out o) { put_or(o, r.spec().core_spec, "N/A"); }},
    {'Y', "SchedNodes", "SCHEDNODES",
     [](Row r, Out o) { put_or_null(o, r.view().scheduled_nodes); }, nullptr, kWhole, nullptr,
     kWholeHeader},
    {'Z', "WorkDir", "WORK_DIR", [](Row r, Out o) { put_or_null(o, r.job().own.work_dir); }},

    {0, "AccrueTime", "ACCRUE_TIME", [](Row r, Out o) { put_time(r, r.job().accrues_since, o); }},
    {0, "admin_comment", "ADMIN_COMMENT",
     [](Row r, Out o) { put_or_null(o, r.spec().admin_comment); }},
    {0, "AllocNodes", "ALLOC_NODES", [](Row r, Out o) { put_or_null(o, r.spec().submit_host); }},
    {0, "AllocSID", "ALLOC_SID", [](Row r, Out o) { put_number(o, r.job().own.submit_sid); }},
    {0, "AssocID", "ASSOC_ID", put_zero},
    {0, "BatchFlag", "BATCH_FLAG",
     [](Row r, Out o) { put_number(o, r.spec().kind == JobKind::batch); }},
    {0, "BoardsPerNode", "BOARDS_PER_NODE", put_zero},
    {0, "BurstBuffer", "BURST_BUFFER", [](Row r, Out o) { put_or_null(o, r.spec().burst_buffer); }},
    {0, "BurstBufferState", "BURST_BUFFER_STATE", put_null},
    {0, "Cluster", "CLUSTER", [](Row r, Out o) { put_or_null(o, r.context->cluster); }},
    {0, "ClusterFeature", "CLUSTER_FEATURES", put_null},
    {0, "Container", "CONTAINER", [](Row r, Out o) { put_or_null(o, r.spec().container); }},
    {0, "cpus-per-task", "CPUS_PER_TASK",
     [](Row r, Out o) { put_number(o, r.spec().cpus_per_task.value_or(1)); }},
    {0, "cpus-per-tres", "CPUS_PER_TRES",
     [](Row r, Out o) { put_per_gpu(o, r.spec().cpus_per_gpu); }},
    {0, "Deadline", "DEADLINE", [](Row r, Out o) { put_time(r, r.spec().deadline, o); }},
    {0, "DelayBoot", "DELAY_BOOT",
     [](Row r, Out o) { o += format_elapsed_short(Seconds{r.spec().delay_boot_s.value_or(0)}); }},
    {0, "DerivedEC", "DERIVED_EC",
     [](Row r, Out o) { put_number(o, r.job().run->derived_exit_status); }},
    {0, "EligibleTime", "ELIGIBLE_TIME", [](Row r, Out o) { put_time(r, r.view().eligible(), o); }},
    {0, "exit_code", "EXIT_CODE", [](Row r, Out o) { put_number(o, r.job().run->exit_status); }},
    {0, "Gres", "TRES_PER_NODE",
     [](Row r, Out o) { put_or_na(o, tres_list(gres_of_each_node(r.spec()))); }},
    {0, "HetJobID", "HET_JOB_ID", put_het_id},
    {0, "HetJobIDSet", "HET_JOB_ID_SET", put_het_jobs},
    {0, "HetJobOffset", "HET_JOB_OFFSET", put_het_offset},
    {0, "LastSchedEval", "LAST_SCHED_EVAL",
     [](Row r, Out o) { put_time(r, r.view().last_evaluated, o); }},
    {0, "MaxCPUs", "MAX_CPUS", [](Row r, Out o) { put_number(o, cpu_count(r)); }},
    {0, "MaxNodes", "MAX_NODES", put_max_nodes},
    {0, "MCSLabel", "MCSLABEL", [](Row r, Out o) { put_or_null(o, r.spec().mcs_label); }},
    {0, "mem-per-tres", "MEM_PER_TRES",
     [](Row r, Out o) { put_per_gpu(o, r.spec().memory_per_gpu_mib); }},
    {0, "MinTime", "TIME_MIN",
     [](Row r, Out o) { o += format_elapsed_short(r.spec().time_min.value_or(Minutes{0})); }},
    {0, "Network", "NETWORK", [](Row r, Out o) { put_or_null(o, r.spec().network); }},
    {0, "NTPerBoard", "NTASKS_PER_BOARD", put_zero},
    {0, "NTPerCore", "NTASKS_PER_CORE",
     [](Row r, Out o) { put_or(o, r.spec().ntasks_per_core, "N/A"); }},
    {0, "NTPerNode", "NTASKS_PER_NODE",
     [](Row r, Out o) { put_number(o, r.spec().ntasks_per_node.value_or(0)); }},
    {0, "NTPerSocket", "NTASKS_PER_SOCKET",
     [](Row r, Out o) { put_or(o, r.spec().ntasks_per_socket, "N/A"); }},
    {0, "NumTasks", "TASKS", [](Row r, Out o) { put_number(o, task_count(r.job())); }},
    {0, "Origin", "ORIGIN", put_federation},
    {0, "OriginRaw", "ORIGIN_RAW", put_federation},
    {0, "PendingTime", "PENDING_TIME", put_pending_time},
    {0, "PreemptTime", "PREEMPT_TIME",
     [](Row r, Out o) { put_time(r, r.job().preempt_time(), o); }},
    {0, "Prefer", "PREFER", [](Row r, Out o) { put_or_null(o, r.spec().prefer); }},
    {0, "Profile", "PROFILE", [](Row, Out o) { o += "NotSet"; }},
    {0, "Reboot", "REBOOT", [](Row r, Out o) { put_number(o, r.spec().reboot); }},
    {0, "ReqSwitch", "REQ_SWITCH", [](Row r, Out o) { o += std::to_string(r.spec().switches); }},
    {0, "Requeue", "REQUEUE", [](Row r, Out o) { put_number(o, r.spec().requeue.value_or(true)); }},
    {0, "ResizeTime", "RESIZE_TIME", [](Row r, Out o) { put_time(r, r.job().run->resized, o); }},
    {0, "RestartCnt", "RESTART_COUNT", [](Row r, Out o) { put_number(o, r.job().restarts); }},
    {0, "SiblingsActive", "ACTIVE_SIBLINGS", put_federation},
    {0, "SiblingsActiveRaw", "ACTIVE_SIBLINGS_RAW", put_federation},
    {0, "SiblingsViable", "VIABLE_SIBLINGS", put_federation},
    {0, "SiblingsViableRaw", "VIALBLE_SIBLINGS_RAW", put_federation},  // the reference's spelling
    {0, "SPerBoard", "SOCKETS_PER_BOARD", put_zero},
    {0, "STDERR", "STDERR", [](Row r, Out o) { o += error_path(r); }},
    {0, "STDIN", "STDIN", put_standard_in},
    {0, "STDOUT", "STDOUT", [](Row r, Out o) { o += output_path(r); }},
    {0, "system_comment", "SYSTEM_COMMENT", put_null},
    {0, "tres-alloc", "TRES_ALLOC", [](Row r, Out o) { o += tres_text(r); }},
    {0, "tres-bind", "TRES_BIND", [](Row r, Out o) { put_or_na(o, of_gpus(r.spec().gpu_bind)); }},
    {0, "tres-freq", "TRES_FREQ", [](Row r, Out o) { put_or_na(o, of_gpus(r.spec().gpu_freq)); }},
    {0, "tres-per-job", "TRES_PER_JOB",
     [](Row r, Out o) { put_or_na(o, tres_list(as_gres(r.spec().gpus))); }},
    {0, "tres-per-socket", "TRES_PER_SOCKET",
     [](Row r, Out o) { put_or_na(o, tres_list(as_gres(r.spec().gpus_per_socket))); }},
    {0, "tres-per-task", "TRES_PER_TASK",
     [](Row r, Out o) { put_or_na(o, tres_list(as_gres(r.spec().gpus_per_task))); }},
    {0, "Wait4Switch", "WAIT4SWITCH",
     [](Row r, Out o) { o += format_elapsed_short(r.spec().switches_wait.value_or(Seconds{0})); }},
};

}  // namespace

std::span<const Column<JobRow>> job_columns() { return kJobColumns; }

}  // namespace muster::cli
