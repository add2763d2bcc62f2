// Keys of scontrol update job: nodes, tasks, CPUs, memory, devices and other requests.
#include <algorithm>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "controller/update/job_keys.h"
#include "sched/request/request.h"

namespace muster::controller {

namespace {

template <auto Member>
Result<void> set_number(JobDraft& d, std::string_view value) {
  auto n = parse_number<std::uint32_t>(value.substr(0, value.find('-')));
  if (!n) return bad_value();
  d.spec.*Member = *n;
  return {};
}

// 0 unsets the value.
template <auto Member>
Result<void> set_number_or_none(JobDraft& d, std::string_view value) {
  if (auto ok = set_number<Member>(d, value.empty() ? "0" : value); !ok) return ok;
  if (d.spec.*Member == 0u) (d.spec.*Member).reset();
  return {};
}

Result<void> set_tasks(JobDraft& d, std::string_view value) {
  if (auto ok = set_number<&JobSpec::num_tasks>(d, value.empty() ? "0" : value); !ok) return ok;
  if (d.spec.num_tasks == 0u) return fail(ErrorCode::failure, "Task count specification invalid");
  return {};
}

// --core-spec and --thread-spec exclude each other.
template <auto Member, auto Other>
Result<void> set_specialized(JobDraft& d, std::string_view value) {
  if (!d.cluster.settings().spec_cores_by_jobs) return fail(ErrorCode::access_denied);
  if (value == "-1") {
    (d.spec.*Member).reset();
    return {};
  }
  if (auto ok = set_number<Member>(d, value); !ok) return ok;
  (d.spec.*Other).reset();
  return {};
}

// A running job can give nodes back, but not get more.
Result<void> give_back_nodes(JobDraft& d, std::string_view value) {
  if (value.contains('-')) return fail(ErrorCode::not_pending);  // only pending jobs have a range
  auto count = parse_number<std::uint32_t>(value);
  if (!count || *count == 0) return bad_value();
  if (!d.cluster.settings().users_shrink && !d.by_operator) return fail(ErrorCode::access_denied);
  const Run& run = *d.job.run;
  if (d.job.state != JobState::running) return fail(ErrorCode::not_pending);
  if (run.preparing || run.ending) return fail(ErrorCode::transition_state_no_update);
  if (*count > run.allocation.size()) return fail(ErrorCode::requested_node_config_unavailable);
  d.keeps_nodes = *count;
  d.spec.min_nodes = *count;
  d.spec.max_nodes = 0;
  d.spec.nodes_given = true;
  d.spec.num_tasks.reset();
  return {};
}

Result<void> set_node_count(JobDraft& d, std::string_view value) {
  if (d.job.state != JobState::pending) return give_back_nodes(d, value);
  auto dash = value.find('-');
  auto low = parse_number<std::uint32_t>(value.substr(0, dash));
  auto high = dash == value.npos ? low : parse_number<std::uint32_t>(value.substr(dash + 1));
  if (!low || !high) return bad_value();
  if (*high < *low || *low == 0)
    return fail(ErrorCode::failure, "Node count specification invalid");
  d.spec.min_nodes = *low;
  d.spec.max_nodes = dash == value.npos ? 0 : *high;
  d.spec.nodes_given = true;
  if (d.spec.num_tasks) d.spec.num_tasks = std::max(*d.spec.num_tasks, *low);  // one task per node
  return {};
}

template <auto Member>
Result<void> set_memory(JobDraft& d, std::string_view value) {
  auto mib = parse_mib(value);
  if (!mib) return bad_value();
  d.spec.memory_per_node_mib.reset();
  d.spec.memory_per_cpu_mib.reset();
  d.spec.memory_per_gpu_mib.reset();
  d.spec.*Member = *mib;
  return {};
}

Result<void> set_gres(JobDraft& d, std::string_view value) {
  if (iequals(value, "none")) return fail(ErrorCode::invalid_gres);
  if (!value.empty() && !parse_gres(value)) return fail(ErrorCode::invalid_gres);
  d.spec.gres = Text(value);
  d.spec.gpus_per_node = {};  // both are set by this key
  return {};
}

// The text after "gpu:"; unset if the text names another device.
std::optional<std::string_view> of_gpus(std::string_view value) {
  for (std::string_view prefix : {"gres:", "gres/"})
    if (value.starts_with(prefix)) value.remove_prefix(prefix.size());
  if (value == "gpu") return "1";
  if (!value.starts_with("gpu:")) return std::nullopt;
  return value.substr(4);
}

// GPUs per job, task or socket: "gres:gpu:v100:2,gres:gpu:a100:1".
template <auto Member>
Result<void> set_gpus(JobDraft& d, std::string_view value) {
  std::string all;
  if (!value.empty())
    for (std::string_view part : split(value, ',')) {
      auto gpus = of_gpus(part);
      if (!gpus) return fail(ErrorCode::invalid_gres);
      if (!all.empty()) all += ',';
      all += *gpus;
    }
  if (!parse_gpus(all)) return fail(ErrorCode::invalid_gres);
  d.spec.*Member = Text(all);
  return {};
}

Result<void> set_cpus_of_gpu(JobDraft& d, std::string_view value) {
  auto cpus = value.empty() ? "0" : of_gpus(value);
  if (!cpus) return fail(ErrorCode::invalid_gres);
  return set_number_or_none<&JobSpec::cpus_per_gpu>(d, *cpus);
}

Result<void> set_memory_of_gpu(JobDraft& d, std::string_view value) {
  if (value.empty()) {
    d.spec.memory_per_gpu_mib.reset();
    return {};
  }
  auto memory = of_gpus(value);
  if (!memory) return fail(ErrorCode::invalid_gres);
  return set_memory<&JobSpec::memory_per_gpu_mib>(d, *memory);
}

Result<void> set_licenses(JobDraft& d, std::string_view value) {
  if (auto known = sched::parse_licenses(d.cluster, value); !known)
    return fail(ErrorCode::invalid_license);
  d.spec.licenses = Text(value);
  return {};
}

// --oversubscribe, or --exclusive with "no".
Result<void> set_sharing(JobDraft& d, std::string_view value) {
  auto yes = wire::parse_yes_no(value);
  if (!yes) return bad_value();
  d.spec.oversubscribe = *yes;
  d.spec.exclusive = !*yes;
  d.spec.exclusive_user = d.spec.exclusive_mcs = false;
  return {};
}

Result<void> set_tmp_disk(JobDraft& d, std::string_view value) {
  auto mib = parse_mib(value);
  if (!mib) return bad_value();
  d.spec.tmp_disk_mib = *mib;
  return {};
}

Result<void> wait_for_switches(JobDraft& d, Seconds wait) {
  d.spec.switches_wait = std::min(wait, d.cluster.settings().max_switch_wait);
  return {};
}

Result<void> set_switches_wait(JobDraft& d, std::string_view value) {
  auto seconds = parse_number<std::uint32_t>(value);
  if (!seconds) return bad_value();
  return wait_for_switches(d, Seconds{*seconds});
}

// "2@5": at most two switches; the job waits up to five minutes for that.
Result<void> set_switches(JobDraft& d, std::string_view value) {
  auto at = value.find('@');
  auto count = parse_number<std::uint32_t>(value.substr(0, at));
  if (!count) return bad_value();
  d.spec.switches = *count;
  if (at == value.npos) return {};
  auto wait = parse_time_limit(value.substr(at + 1));
  if (!wait) return bad_value();
  return wait_for_switches(d, *wait);
}

constexpr JobSetter kJobRequestSetters[] = {
    {"NumNodes", set_node_count},
    {"ReqNodes", set_node_count},
    {"NumTasks", set_tasks},
    {"ReqProcs", set_tasks},
    {"NumCPUs", set_tasks},
    {"CPUsPerTask", set_number_or_none<&JobSpec::cpus_per_task>},
    {"TasksPerNode", set_number_or_none<&JobSpec::ntasks_per_node>},
    {"ReqSockets", set_number_or_none<&JobSpec::sockets_per_node>},
    {"ReqCores", set_number_or_none<&JobSpec::cores_per_socket>},
    {"ReqThreads", set_number_or_none<&JobSpec::threads_per_core>},
    {"CoreSpec", set_specialized<&JobSpec::core_spec, &JobSpec::thread_spec>},
    {"ThreadSpec", set_specialized<&JobSpec::thread_spec, &JobSpec::core_spec>},
    {"MinCPUsNode", set_number<&JobSpec::min_cpus_per_node>},
    {"MinMemoryNode", set_memory<&JobSpec::memory_per_node_mib>},
    {"MinMemoryCPU", set_memory<&JobSpec::memory_per_cpu_mib>},
    {"Features", set_text<&JobSpec::features>},
    {"Gres", set_gres},
    {"TresPerNode", set_gres},
    {"TresPerJob", set_gpus<&JobSpec::gpus>},
    {"TresPerTask", set_gpus<&JobSpec::gpus_per_task>},
    {"TresPerSocket", set_gpus<&JobSpec::gpus_per_socket>},
    {"CpusPerTres", set_cpus_of_gpu},
    {"MemPerTres", set_memory_of_gpu},
    {"ReqNodeList", set_text<&JobSpec::required_nodes>},
    {"NodeList", set_text<&JobSpec::required_nodes>},
    {"ExcNodeList", set_text<&JobSpec::excluded_nodes>},
    {"Contiguous", set_yes_no<&JobSpec::contiguous>},
    {"Prefer", set_text<&JobSpec::prefer>},
    {"Reboot", set_yes_no<&JobSpec::reboot>},
    {"Licenses", set_licenses},
    {"OverSubscribe", set_sharing},
    {"Shared", set_sharing},
    {"MinTmpDiskNode", set_tmp_disk},
    {"Switches", set_switches},
    {"Wait-for-switch", set_switches_wait},
};

}  // namespace

std::span<const JobSetter> job_request_setters() { return kJobRequestSetters; }

}  // namespace muster::controller
