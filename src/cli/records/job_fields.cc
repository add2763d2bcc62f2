// The fields of a job: one row each, with the names in --json, squeue and `scontrol show job`, in
// the order of --json.
#include "cli/tables/json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "cli/lib/paths.h"
#include "cli/records/job_row.h"
#include "cli/records/job_shown.h"
#include "cli/records/record_text.h"
#include "cli/tables/lists.h"
#include "model/job/mail_type.h"
#include "model/job/task_count.h"

namespace muster::cli {

namespace job_table {
namespace {

using R = const JobRow&;
using V = FieldValue&;

constexpr JobRow::Mark kLeast{wire::Detail::least};  // a JobLine has it
constexpr JobRow::Mark kAll{wire::Detail::all};      // a brief view lacks it

constexpr const char* kNone = "";  // prints nothing, but the field exists
constexpr const char* kNullText = "(null)";
constexpr const char* kNotThere = "N/A";
constexpr const char* kStar = "*";

void say_nothing(R, V v) { v.text(""); }
void say_zero(R, V v) { v.number(0); }
void say_no_federation(R, V v) { v.text(""); }  // there are no federations
void say_unset(R, V) {}

void say_gpus(V v, const auto& count) { v.text(count ? fmt::format("gres:gpu:{}", *count) : ""); }

// A listing cuts reasons to the column's width, but never lists of nodes.
void append_reason_or_nodes(R r, std::size_t width, std::string& out) {
  out += reason_or_nodes(r);
  if (out.starts_with('(')) out.resize(std::min(out.size(), width));
}

void say_time_left(R r, V v) {
  const Minutes limit = r.line().time_limit;
  const Seconds used = std::chrono::floor<Seconds>(r.line().run_time);
  // Seconds are rounded as for %M, so that both add up to the limit.
  if (limit == kUnlimited || used > limit)
    v.text(limit == kUnlimited ? "UNLIMITED" : "INVALID");  // INVALID in OverTimeLimit
  else
    v.span(limit - used);
}
std::int64_t time_left_key(R r) {
  if (r.line().time_limit == kUnlimited) return kUnsetKey;
  return (Seconds(r.line().time_limit) - std::chrono::floor<Seconds>(r.line().run_time)).count();
}

void say_pending_time(R r, V v) {
  const Job& job = r.job();
  const Time until = is_set(job.run->started) ? job.run->started : r.context->now;
  v.number(std::max<std::int64_t>(unix_seconds(until) - unix_seconds(job.submitted), 0));
}

void say_resources(R r, V v) {
  const JobSpec& spec = r.spec();
  auto text = [](const auto& count) { return count ? std::to_string(*count) : "*"; };
  v.text(fmt::format("{}:{}:{}", text(spec.sockets_per_node), text(spec.cores_per_socket),
                     text(spec.threads_per_core)));
}

// Lists and --json show file names as patterns.
std::string absolute(const JobOwn& own, std::string_view path) {
  if (path == "none") return "/dev/null";
  if (path.starts_with('/')) return std::string(path);
  return fmt::format("{}/{}", own.work_dir.view(), path);
}
std::string output_pattern(R r) {
  if (r.spec().kind != JobKind::batch) return "";
  if (!r.own().std_out.empty()) return absolute(r.own(), r.own().std_out);
  if (r.job().array_id) return absolute(r.own(), "slurm-%A_%a.out");
  return absolute(r.own(), fmt::format("slurm-{}.out", r.job().id.value));
}
void say_output(R r, V v) { v.text(output_pattern(r)); }
void say_errors(R r, V v) {
  const Text& path = r.own().std_err;
  v.text(path.empty() ? output_pattern(r) : absolute(r.own(), path));
}
void say_input(R r, V v) {
  v.text(r.own().std_in.empty() ? std::string_view("/dev/null") : r.own().std_in.view());
}
// scontrol shows files of batch jobs only.
template <auto Path>
void show_path(R r, V v) {
  if (r.spec().kind == JobKind::batch) v.text(Path(r.job()));
}

bool write_sharing(R r, Json& out) {
  switch (r.view().sharing) {
    case wire::Sharing::ok:
      break;
    case wire::Sharing::no:
      out = "none";
      break;
    case wire::Sharing::yes:
      out = "shared";
      break;
    case wire::Sharing::user:
      out = "user";
      break;
    case wire::Sharing::mcs:
      out = "mcs";
      break;
  }
  return true;
}

bool write_resources(R r, Json& out) {
  const auto& shares = r.job().run->allocation;
  if (shares.empty()) return false;
  out["nodes"] = json_text(r.view().nodes);
  out["allocated_cores"] = total(shares).cpus;
  out["allocated_hosts"] = shares.size();
  out["allocated_nodes"] = Json::array();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Json node;
    node["nodename"] =
        i < r.view().node_names.size() ? json_text(r.view().node_names[i]) : Json("");
    node["cpus_used"] = shares[i].cpus.size();
    node["memory_used"] = shares[i].memory_mib;
    node["memory_allocated"] = shares[i].memory_mib;
    out["allocated_nodes"].push_back(std::move(node));
  }
  return true;
}

void list_devices(R r, V v) {
  std::vector<std::string> devices;
  for (const NodeShare& share : r.job().run->allocation)
    if (!share.gres.empty()) devices.push_back(gres_text(share.gres, true));
  v.list(std::move(devices));
}

// clang-format off
constexpr Field<JobRow> kFields[] = {
    {{"account"}, {'a', "Account", "ACCOUNT"}, {"Account"}, [](R r, V v) { v.text(r.job().account); }},
    {{"accrue_time"}, {0, "AccrueTime", "ACCRUE_TIME"}, {"AccrueTime"}, [](R r, V v) { v.time(r.job().accrues_since); }},
    {{"admin_comment"}, {0, "admin_comment", "ADMIN_COMMENT"}, {"AdminComment", kOmit}, [](R r, V v) { v.text(r.spec().admin_comment); }, {.mark = kAll}},
    {{"array_job_id", [](R r, V v) { v.number(r.job().array_id.value); }}, {'F', "ArrayJobID", "ARRAY_JOB_ID"}, {"ArrayJobId", kOmit, show_array_id}, [](R r, V v) { v.number((r.line().array_id ? r.line().array_id : r.line().id).value); }, {.key = job_id_key}},
    {{"array_task_id"}, {}, {}, [](R r, V v) { if (r.job().task_id != kNoTask) v.number(r.job().task_id); }},
    {{"array_max_tasks"}, {}, {"ArrayTaskThrottle", kOmit, show_throttle}, [](R r, V v) { v.number(r.job().task_limit); }},
    {{"array_task_string", [](R r, V v) { v.text(r.job().is_array_record() ? task_id_text(r) : ""); }}, {'K', "ArrayTaskID", "ARRAY_TASK_ID", kNotThere}, {"ArrayTaskId", kOmit}, [](R r, V v) { v.text(task_id_text(r)); }, {.key = job_id_key}},
    {{"association_id"}, {0, "AssocID", "ASSOC_ID"}, {}, say_zero},
    {{"batch_features"}, {}, {"BatchFeatures", kOmit}, [](R r, V v) { v.text(r.spec().batch_features); }},
    {{"batch_flag"}, {0, "BatchFlag", "BATCH_FLAG"}, {"BatchFlag"}, [](R r, V v) { v.flag(r.spec().kind == JobKind::batch); }},
    {{"batch_host"}, {'B', "BatchHost", "EXEC_HOST", "n/a"}, {"BatchHost", kOmit, show_batch_host}, [](R r, V v) { v.text(r.view().batch_host); }},
    {{"flags"}, {}, {}, [](R, V v) { v.list({}); }},
    {{"burst_buffer"}, {0, "BurstBuffer", "BURST_BUFFER"}, {"BurstBuffer", kOmit}, [](R r, V v) { v.text(r.spec().burst_buffer); }},
    {{"burst_buffer_state"}, {0, "BurstBufferState", "BURST_BUFFER_STATE"}, {}, say_nothing},
    {{"cluster"}, {0, "Cluster", "CLUSTER"}, {}, [](R r, V v) { v.text(r.context->cluster); }},
    {{"cluster_features"}, {0, "ClusterFeature", "CLUSTER_FEATURES"}, {}, say_nothing},
    {{"command", [](R r, V v) { v.text(r.own().command); }}, {'o', "Command", "COMMAND"}, {"Command"}, [](R r, V v) { v.text(command_text(r.own())); }, {.mark = kAll}},
    {{"comment"}, {'k', "Comment", "COMMENT"}, {"Comment", kOmit}, [](R r, V v) { v.text(r.own().comment); }, {.mark = kAll}},
    {{"container"}, {0, "Container", "CONTAINER"}, {"Container", kOmit}, [](R r, V v) { v.text(r.spec().container); }},
    {{"contiguous"}, {'O', "Contiguous", "CONTIGUOUS"}, {"Contiguous"}, [](R r, V v) { v.flag(r.spec().contiguous); }},
    {{"core_spec"}, {'X', "CoreSpec", "CORE_SPEC"}, {"CoreSpec", kStar}, [](R r, V v) { v.number(r.spec().core_spec); }},
    {{"thread_spec"}, {}, {}, say_unset},
    {{"cores_per_socket"}, {'I', "Cores", "CORES_PER_SOCKET", kStar}, {}, [](R r, V v) { v.number(r.spec().cores_per_socket); }},
    {{"billable_tres"}, {}, {}, [](R r, V v) { if (!r.job().run->allocation.empty()) v.real(1.0 * static_cast<double>(cpu_count(r))); }},
    {{"cpus_per_task"}, {0, "cpus-per-task", "CPUS_PER_TASK", "1"}, {"CPUs/Task", "1"}, [](R r, V v) { v.number(r.spec().cpus_per_task); }},
    {{"cpu_frequency_minimum"}, {}, {}, say_unset},
    {{"cpu_frequency_maximum"}, {}, {}, say_unset},
    {{"cpu_frequency_governor"}, {}, {}, say_unset},
    {{"cpus_per_tres"}, {0, "cpus-per-tres", "CPUS_PER_TRES", kNotThere}, {"CpusPerTres", kOmit}, [](R r, V v) { say_gpus(v, r.spec().cpus_per_gpu); }},
    {{"deadline"}, {0, "Deadline", "DEADLINE"}, {"Deadline", kNotThere}, [](R r, V v) { v.time(r.spec().deadline); }},
    {{"delay_boot"}, {0, "DelayBoot", "DELAY_BOOT"}, {"DelayBoot"}, [](R r, V v) { v.span(Seconds{r.spec().delay_boot_s.value_or(0)}); }},
    {{"dependency"}, {'E', "Dependency", "DEPENDENCY"}, {"Dependency"}, [](R r, V v) { v.text(r.view().dependency); }},
    {{"derived_exit_code"}, {0, "DerivedEC", "DERIVED_EC"}, {"DerivedExitCode"}, [](R r, V v) { v.exit_status(r.job().run->derived_exit_status); }},
    {{"eligible_time"}, {0, "EligibleTime", "ELIGIBLE_TIME"}, {"EligibleTime"}, [](R r, V v) { v.time(r.view().eligible()); }},
    {{"end_time"}, {'e', "EndTime", "END_TIME"}, {"EndTime", nullptr, show_end}, [](R r, V v) { v.time(end_time(r)); }},
    {{"excluded_nodes"}, {'x', "", "EXC_NODES", kNone}, {"ExcNodeList"}, [](R r, V v) { v.text(r.spec().excluded_nodes); }, {.whole = true}},
    {{"exit_code"}, {0, "exit_code", "EXIT_CODE"}, {"ExitCode"}, [](R r, V v) { v.exit_status(r.job().run->exit_status); }},
    {{"features"}, {'f', "Feature", "FEATURES"}, {"Features", nullptr, show_features}, [](R r, V v) { v.text(r.spec().features); }},
    {{"federation_origin"}, {0, "Origin", "ORIGIN", "NA"}, {}, say_no_federation},
    {{"federation_siblings_active"}, {0, "SiblingsActive", "ACTIVE_SIBLINGS", "NA"}, {}, say_no_federation},
    {{"federation_siblings_viable"}, {0, "SiblingsViable", "VIABLE_SIBLINGS", "NA"}, {}, say_no_federation},
    {{"gres_detail"}, {}, {}, list_devices},
    {{"group_id"}, {'G', "GroupID", "GROUP"}, {}, [](R r, V v) { v.number(r.spec().gid.value); }},
    {{"group_name"}, {'g', "GroupName", "GROUP"}, {"GroupId", nullptr, show_group}, [](R r, V v) { v.text(r.context->names.group(r.spec().gid)); }},
    {{"job_id"}, {'A', "JobID", "JOBID"}, {"JobId"}, [](R r, V v) { v.number(r.line().id.value); }, {.mark = kLeast}},
    {{"job_resources", nullptr, write_resources}, {}, {}, say_unset},
    {{"job_state"}, {'T', "State", "STATE"}, {"JobState"}, [](R r, V v) { v.text(job_state_text(r)); }, {.mark = kLeast}},
    {{"last_sched_evaluation"}, {0, "LastSchedEval", "LAST_SCHED_EVAL"}, {"LastSchedEval"}, [](R r, V v) { v.time(r.view().last_evaluated); }},
    {{"licenses"}, {'W', "Licenses", "LICENSES"}, {"Licenses"}, [](R r, V v) { v.text(r.spec().licenses); }},
    {{"max_cpus", say_zero}, {0, "MaxCPUs", "MAX_CPUS"}, {}, [](R r, V v) { v.number(cpu_count(r)); }},
    {{"max_nodes", [](R r, V v) { v.number(r.spec().max_nodes); }}, {0, "MaxNodes", "MAX_NODES"}, {}, [](R r, V v) { v.number(r.spec().max_nodes ? r.spec().max_nodes : r.line().num_nodes); }},
    {{"mcs_label"}, {0, "MCSLabel", "MCSLABEL"}, {"MCS_label", kNotThere}, [](R r, V v) { v.text(r.spec().mcs_label); }},
    {{"memory_per_tres"}, {0, "mem-per-tres", "MEM_PER_TRES", kNotThere}, {"MemPerTres", kOmit}, [](R r, V v) { say_gpus(v, r.spec().memory_per_gpu_mib); }},
    {{"name"}, {'j', "Name", "NAME"}, {"JobName", kNone}, [](R r, V v) { v.text(r.line().name); }, {.mark = kLeast}},
    {{"nodes"}, {'N', "NodeList", "NODELIST", kNone}, {"NodeList", kNone}, [](R r, V v) { v.text(r.line().nodes); }, {.whole = true, .whole_header = true, .mark = kLeast}},
    {{"nice"}, {'y', "Nice", "NICE", "0"}, {"Nice", "0"}, [](R r, V v) { if (r.spec().nice != 0) v.number(r.spec().nice); }, {.key = [](R r) -> std::int64_t { return r.spec().nice; }}},
    {{"tasks_per_core"}, {0, "NTPerCore", "NTASKS_PER_CORE"}, {}, [](R r, V v) { v.number(r.spec().ntasks_per_core); }},
    {{"tasks_per_node"}, {0, "NTPerNode", "NTASKS_PER_NODE"}, {}, [](R r, V v) { v.number(r.spec().ntasks_per_node.value_or(0)); }},
    {{"tasks_per_socket"}, {0, "NTPerSocket", "NTASKS_PER_SOCKET"}, {}, [](R r, V v) { v.number(r.spec().ntasks_per_socket); }},
    {{"tasks_per_board"}, {0, "NTPerBoard", "NTASKS_PER_BOARD"}, {}, say_zero},
    {{"cpus"}, {'C', "NumCPUs", "CPUS"}, {"NumCPUs", nullptr, show_cpus}, [](R r, V v) { v.number(cpu_count(r)); }},
    {{"node_count"}, {'D', "NumNodes", "NODES"}, {"NumNodes", nullptr, show_nodes_asked}, [](R r, V v) { v.number(r.line().num_nodes); }, {.mark = kLeast}},
    {{"tasks"}, {0, "NumTasks", "TASKS"}, {"NumTasks"}, [](R r, V v) { v.number(task_count(r.job())); }},
    {{"het_job_id", [](R r, V v) { v.number(r.job().het_id.value); }}, {0, "HetJobID", "HET_JOB_ID"}, {"HetJobId", kOmit}, [](R r, V v) { if (r.job().is_het()) v.number(r.job().het_id.value); }},
    {{"het_job_id_set"}, {0, "HetJobIDSet", "HET_JOB_ID_SET", kNotThere}, {"HetJobIdSet", kOmit}, [](R r, V v) { v.text(r.job().het_jobs().text()); }},
    {{"het_job_offset", [](R r, V v) { v.number(r.job().het_offset); }}, {0, "HetJobOffset", "HET_JOB_OFFSET"}, {"HetJobOffset", kOmit}, [](R r, V v) { if (r.job().is_het()) v.number(r.job().het_offset); }},
    {{"partition"}, {'P', "Partition", "PARTITION"}, {"Partition", kNone}, [](R r, V v) { v.text(r.partition.empty() ? r.line().partition : r.partition); }, {.mark = kLeast}},
    {{"prefer"}, {0, "Prefer", "PREFER"}, {"Prefer", kOmit, show_prefer}, [](R r, V v) { v.text(r.spec().prefer); }},
    {{"memory_per_node"}, {}, {"MinMemoryNode", kOmit, show_memory_per_node}, [](R r, V v) { v.number(r.spec().memory_per_node_mib); }},
    {{"memory_per_cpu"}, {}, {"MinMemoryCPU", kOmit, show_memory_per_cpu}, [](R r, V v) { v.number(r.spec().memory_per_cpu_mib); }},
    {{"minimum_cpus_per_node"}, {'c', "MinCpus", "MIN_CPUS"}, {"MinCPUsNode"}, [](R r, V v) { v.number(least_cpus_per_node(r.spec())); }},
    {{"minimum_tmp_disk_per_node"}, {'d', "MinTmpDisk", "MIN_TMP_DISK"}, {"MinTmpDiskNode"}, [](R r, V v) { v.memory(r.spec().tmp_disk_mib.value_or(0)); }},
    {{"preempt_time"}, {0, "PreemptTime", "PREEMPT_TIME"}, {"PreemptTime", kOmit, show_preempt_time}, [](R r, V v) { v.time(r.job().preempt_time()); }},
    {{"pre_sus_time"}, {}, {"SecsPreSuspend"}, say_before_suspension},
    {{"priority", show_priority}, {'Q', "PriorityLong", "PRIORITY"}, {"Priority", nullptr, show_priority}, [](R r, V v) { v.number(r.priority()); }, {.mark = kLeast}},
    {{"profile"}, {0, "Profile", "PROFILE", "NotSet"}, {}, say_unset},
    {{"qos"}, {'q', "QOS", "QOS"}, {"QOS"}, [](R r, V v) { v.text(r.job().qos); }},
    {{"reboot"}, {0, "Reboot", "REBOOT"}, {"Reboot"}, [](R r, V v) { v.flag(r.spec().reboot); }},
    {{"required_nodes"}, {'n', "ReqNodes", "REQ_NODES", kNone}, {"ReqNodeList"}, [](R r, V v) { v.text(r.spec().required_nodes); }, {.whole = true}},
    {{"requeue"}, {0, "Requeue", "REQUEUE"}, {"Requeue"}, [](R r, V v) { v.flag(r.spec().requeue.value_or(true)); }},
    {{"resize_time"}, {0, "ResizeTime", "RESIZE_TIME"}, {"ResizeTime", kOmit}, [](R r, V v) { v.time(r.job().run->resized); }},
    {{"restart_cnt"}, {0, "RestartCnt", "RESTART_COUNT"}, {"Restarts"}, [](R r, V v) { v.number(r.job().restarts); }},
    {{"resv_name"}, {'v', "Reservation", "RESERVATION"}, {"Reservation", kOmit}, [](R r, V v) { v.text(r.job().shown_reservation()); }},
    {{"shared", nullptr, write_sharing}, {'h', "OverSubscribe", "OVER_SUBSCRIBE"}, {"OverSubscribe"}, [](R r, V v) { v.text(sharing_name(r.view().sharing)); }},
    {{"show_flags"}, {}, {}, [](R, V v) { v.list({"SHOW_ALL", "SHOW_DETAIL", "SHOW_LOCAL"}); }},
    {{"sockets_per_board"}, {0, "SPerBoard", "SOCKETS_PER_BOARD"}, {}, say_zero},
    {{"sockets_per_node"}, {'H', "Sockets", "SOCKETS_PER_NODE", kStar}, {"Socks/Node", kStar}, [](R r, V v) { v.number(r.spec().sockets_per_node); }},
    {{"start_time"}, {'S', "StartTime", "START_TIME"}, {"StartTime", nullptr, show_start}, [](R r, V v) { v.time(start_time(r)); }},
    {{"state_description"}, {}, {}, [](R r, V v) { v.text(r.view().reason_detail); }},
    {{"state_reason"}, {'r', "Reason", "REASON", kNone}, {"Reason", nullptr, show_reason}, [](R r, V v) { v.text(r.line().reason); }, {.mark = kLeast}},
    {{"standard_error"}, {0, "STDERR", "STDERR", kNone}, {"StdErr", kOmit, show_path<shown_stderr>}, say_errors, {.mark = kAll}},
    {{"standard_input"}, {0, "STDIN", "STDIN", kNone}, {"StdIn", kOmit, show_path<shown_stdin>}, say_input, {.mark = kAll}},
    {{"standard_output"}, {0, "STDOUT", "STDOUT", kNone}, {"StdOut", kOmit, show_path<shown_stdout>}, say_output, {.mark = kAll}},
    {{"submit_time"}, {'V', "SubmitTime", "SUBMIT_TIME"}, {"SubmitTime"}, [](R r, V v) { v.time(r.job().submitted); }},
    {{"suspend_time"}, {}, {"SuspendTime", "None"}, say_suspended},
    {{"system_comment"}, {0, "system_comment", "SYSTEM_COMMENT"}, {}, say_nothing},
    {{"time_limit"}, {'l', "TimeLimit", "TIME_LIMIT"}, {"TimeLimit"}, [](R r, V v) { v.limit(r.line().time_limit); }, {.whole = true, .mark = kLeast}},
    {{"time_minimum"}, {0, "MinTime", "TIME_MIN"}, {"TimeMin", kNotThere, [](R r, V v) { if (r.spec().time_min) v.limit(*r.spec().time_min); }}, [](R r, V v) { v.limit(r.spec().time_min.value_or(Minutes{0})); }},
    {{"threads_per_core"}, {'J', "Threads", "THREADS_PER_CORE", kStar}, {}, [](R r, V v) { v.number(r.spec().threads_per_core); }},
    {{"tres_bind"}, {0, "tres-bind", "TRES_BIND", kNotThere}, {"TresBind", kOmit}, [](R r, V v) { v.text(of_gpus(r.spec().gpu_bind)); }},
    {{"tres_freq"}, {0, "tres-freq", "TRES_FREQ", kNotThere}, {"TresFreq", kOmit}, [](R r, V v) { v.text(of_gpus(r.spec().gpu_freq)); }},
    {{"tres_per_job"}, {0, "tres-per-job", "TRES_PER_JOB", kNotThere}, {"TresPerJob", kOmit}, [](R r, V v) { v.text(tres_list(as_gres(r.spec().gpus))); }},
    {{"tres_per_node"}, {'b', "tres-per-node", "TRES_PER_NODE", kNotThere}, {"TresPerNode", kOmit}, [](R r, V v) { v.text(tres_list(gres_of_each_node(r.spec()))); }},
    {{"tres_per_socket"}, {0, "tres-per-socket", "TRES_PER_SOCKET", kNotThere}, {"TresPerSocket", kOmit}, [](R r, V v) { v.text(tres_list(as_gres(r.spec().gpus_per_socket))); }},
    {{"tres_per_task"}, {0, "tres-per-task", "TRES_PER_TASK", kNotThere}, {"TresPerTask", kOmit}, [](R r, V v) { v.text(tres_list(as_gres(r.spec().gpus_per_task))); }},
    {{"tres_req_str"}, {}, {}, [](R r, V v) { v.text(r.view().requested_tres); }},
    {{"tres_alloc_str", [](R r, V v) { v.text(r.job().run->allocation.empty() ? "" : tres_text(r)); }}, {0, "tres-alloc", "TRES_ALLOC", kNone}, {"TRES"}, [](R r, V v) { v.text(tres_text(r)); }, {.mark = kAll}},
    {{"user_id"}, {'U', "UserID", "UID"}, {}, [](R r, V v) { v.number(r.line().uid.value); }, {.mark = kLeast}},
    {{"user_name"}, {'u', "UserName", "USER", kNone}, {"UserId", nullptr, show_user}, [](R r, V v) { v.text(user_name(r)); }, {.mark = kLeast}},
    {{"wckey"}, {'w', "WCKey", "WCKEY"}, {}, [](R r, V v) { v.text(r.spec().wckey); }},
    {{"current_working_directory"}, {'Z', "WorkDir", "WORK_DIR"}, {"WorkDir", kNone}, [](R r, V v) { v.text(r.own().work_dir); }, {.mark = kAll}},

    // Fields of squeue, some of them also of scontrol.
    {{}, {'i', "JobArrayID", "JOBID"}, {}, [](R r, V v) { v.text(job_id_text(r)); }, {.key = job_id_key, .mark = kLeast}},
    {{}, {'m', "MinMemory", "MIN_MEMORY"}, {}, [](R r, V v) { v.memory(r.spec().memory_per_cpu_mib.value_or(r.spec().memory_per_node_mib.value_or(0))); }},
    {{}, {'p', "Priority", "PRIORITY"}, {}, [](R r, V v) { v.text(fmt::format("{:.14f}", r.priority() / 4294967295.0)); }, {.key = [](R r) -> std::int64_t { return r.priority(); }, .mark = kLeast}},
    {{}, {'s', "SelectJobInfo", "", kNone}, {}, say_nothing},
    {{}, {'t', "StateCompact", "ST"}, {}, [](R r, V v) { v.text(job_state_code(r)); }, {.mark = kLeast}},
    {{}, {'z', "SCT", "S:C:T"}, {}, say_resources},
    {{}, {'L', "TimeLeft", "TIME_LEFT"}, {}, say_time_left, {.key = time_left_key, .whole = true, .mark = kLeast}},
    {{}, {'M', "TimeUsed", "TIME"}, {"RunTime"}, [](R r, V v) { v.span(std::chrono::floor<Seconds>(r.line().run_time)); }, {.whole = true, .mark = kLeast}},
    {{}, {'R', "ReasonList", "NODELIST(REASON)", kNone}, {}, [](R r, V v) { v.text(reason_or_nodes(r)); }, {.whole = true, .whole_header = true, .append_within = append_reason_or_nodes, .mark = kLeast}},
    {{}, {'Y', "SchedNodes", "SCHEDNODES"}, {"SchedNodeList", kOmit}, [](R r, V v) { v.text(r.view().scheduled_nodes); }, {.whole = true, .whole_header = true}},
    {{}, {0, "AllocNodes", "ALLOC_NODES"}, {}, [](R r, V v) { v.text(r.spec().submit_host); }, {.mark = kAll}},
    {{}, {0, "AllocSID", "ALLOC_SID"}, {}, [](R r, V v) { v.number(r.own().submit_sid); }},
    {{}, {0, "BoardsPerNode", "BOARDS_PER_NODE"}, {}, say_zero},
    {{}, {0, "Gres", "TRES_PER_NODE", kNotThere}, {}, [](R r, V v) { v.text(tres_list(gres_of_each_node(r.spec()))); }},
    {{}, {0, "Network", "NETWORK"}, {"Network"}, [](R r, V v) { v.text(r.spec().network); }},
    {{}, {0, "OriginRaw", "ORIGIN_RAW", "NA"}, {}, say_no_federation},
    {{}, {0, "PendingTime", "PENDING_TIME"}, {}, say_pending_time},
    {{}, {0, "ReqSwitch", "REQ_SWITCH"}, {"Switches", kOmit, show_switches}, [](R r, V v) { v.number(r.spec().switches); }},
    {{}, {0, "SiblingsActiveRaw", "ACTIVE_SIBLINGS_RAW", "NA"}, {}, say_no_federation},
    // misspelt as in Slurm
    {{}, {0, "SiblingsViableRaw", "VIALBLE_SIBLINGS_RAW", "NA"}, {}, say_no_federation},
    {{}, {0, "Wait4Switch", "WAIT4SWITCH"}, {}, [](R r, V v) { v.span(r.spec().switches_wait.value_or(Seconds{0})); }},

    // Fields of scontrol only.
    {{}, {}, {"AllocNode:Sid"}, [](R r, V v) { v.text(fmt::format("{}:{}", r.spec().submit_host.view(), r.own().submit_sid)); }},
    {{}, {}, {"GresEnforceBind", kOmit}, [](R r, V v) { v.text(r.spec().enforce_binding ? "Yes" : r.spec().disable_binding ? "No" : ""); }},
    // Misspelt as in Slurm.
    {{}, {}, {"KillOInInvalidDependent", kOmit}, [](R r, V v) { if (r.spec().kill_on_invalid_dependency) v.text(*r.spec().kill_on_invalid_dependency ? "Yes" : "No"); }},
    {{}, {}, {"MailUser", kOmit}, show_mail_user},
    {{}, {}, {"MailType", kOmit}, [](R r, V v) { if (r.spec().mail_type != 0) v.text(mail_types_text(r.spec().mail_type)); }},
    {{}, {}, {"NtasksPerN:B:S:C"}, show_tasks_per},
    {{}, {}, {"NtasksPerTRES", kOmit}, [](R r, V v) { v.number(r.spec().ntasks_per_gpu); }},
    {{}, {}, {"Power", kNone}, [](R r, V v) { v.text(r.spec().power); }},
    {{}, {}, {"PreemptEligibleTime", kOmit}, [](R r, V v) { v.time(r.view().preemptable_since); }},
    {{}, {}, {"ReqB:S:C:T"}, show_cores_asked},
    {{}, {}, {"Scheduler"}, [](R, V v) { v.text("Main"); }},
    {{}, {}, {"SpreadJob", kOmit}, [](R r, V v) { v.text(r.spec().spread_job ? "Yes" : ""); }},
};
// clang-format on

}  // namespace
}  // namespace job_table

std::span<const Field<JobRow>> job_fields() { return job_table::kFields; }

}  // namespace muster::cli
