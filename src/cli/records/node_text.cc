// scontrol show node, show partition, show step, show config.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/records/record_text.h"
#include "model/binding/distribution.h"
#include "model/node/resources.h"
#include "model/node/spec_cores.h"

namespace muster::cli {

namespace {

using fmt::format;

std::string join_texts(const std::vector<Text>& parts) {
  std::string out;
  for (const Text& part : parts) out += (out.empty() ? "" : ",") + part.str();
  return out;
}

template <class Gres>
std::string gres_sums(const std::vector<Gres>& gres) {
  std::vector<std::pair<Text, std::uint64_t>> sums;
  for (const Gres& g : gres) {
    auto same = std::ranges::find(sums, g.name, &std::pair<Text, std::uint64_t>::first);
    if (same == sums.end())
      sums.emplace_back(g.name, g.count);
    else
      same->second += g.count;
  }
  std::string out;
  for (const auto& [name, count] : sums)
    if (count > 0) out += format(",gres/{}={}", name.view(), count);
  return out;
}

std::string allocated_tres(const Node& node) {
  std::string out;
  if (!node.used_cpus.empty()) out += format(",cpu={}", node.used_cpus.size());
  if (node.used_memory_mib > 0) out += format(",mem={}", format_mib(node.used_memory_mib));
  out += gres_sums(node.used_gres);
  return out.empty() ? out : out.substr(1);
}

std::string date_or_none(Time t) { return is_set(t) ? format_date(t) : "None"; }

std::string or_default(const Text& text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text.view());
}
std::string_view yes_no(bool value) { return value ? "YES" : "NO"; }
template <class T>
std::string or_unlimited(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "UNLIMITED";
}

void add_hardware(RecordLines& lines, const wire::NodeView& view, const ShowStyle& style) {
  const Node& node = *view.node;
  const NodeConfig& config = node.config;
  std::string arch = node.facts.arch.empty() ? "" : format(" Arch={}", node.facts.arch.view());
  if (!config.cpu_bind.empty()) arch += format(" CpuBind={}", config.cpu_bind.view());
  lines.add(format("NodeName={}{} CoresPerSocket={} ", config.name.view(), arch,
                   config.cores_per_socket));
  const auto kept = static_cast<std::uint32_t>(spec_cpus(config).size());
  lines.add(format("CPUAlloc={} CPUEfctv={} CPUTot={} CPULoad={}", node.used_cpus.size(),
                   config.cpus - kept, config.cpus,
                   view.cpu_load < 0 ? "N/A" : format("{:.2f}", view.cpu_load)));
  lines.add(format("AvailableFeatures={}", or_null(join_texts(config.features))));
  lines.add(format("ActiveFeatures={}", or_null(join_texts(node.active_features))));
  lines.add(format("Gres={}", or_null(gres_of_node(config))));
  if (!style.details) return;
  lines.add("GresDrain=N/A");
  lines.add(format("GresUsed={}", or_null(used_gres_of_node(node))));
}

void add_system(RecordLines& lines, const wire::NodeView& view) {
  const Node& node = *view.node;
  const NodeConfig& config = node.config;
  constexpr std::uint32_t kDefaultPort = 6818;
  std::string address =
      format("NodeAddr={} NodeHostName={}", or_default(config.address, config.name),
             or_default(config.hostname, config.name));
  if (config.port != 0 && config.port != kDefaultPort) address += format(" Port={}", config.port);
  if (!node.facts.version.empty()) address += format(" Version={}", node.facts.version.view());
  lines.add(address);
  if (!node.facts.os.empty()) lines.add(format("OS={} ", node.facts.os.view()));
  lines.add(format("RealMemory={} AllocMem={} FreeMem={} Sockets={} Boards={}", config.memory_mib,
                   node.used_memory_mib,
                   view.free_memory_known ? std::to_string(view.free_memory_mib) : "N/A",
                   config.sockets, config.boards));
  const IdSet kept = spec_cpus(config);
  std::string special;
  if (!kept.empty())
    special = format("CoreSpecCount={} CPUSpecList={} ", kept.size() / cpus_per_core(config),
                     kept.text());
  if (config.memory_spec_limit_mib > 0)
    special += format("MemSpecLimit={}", config.memory_spec_limit_mib);
  if (!special.empty()) lines.add(special);
}

}  // namespace

std::string_view or_null(std::string_view text) { return text.empty() ? "(null)" : text; }

std::string gres_text(const std::vector<GresShare>& gres, bool with_indices) {
  std::string out;
  for (const GresShare& share : gres) {
    if (!out.empty()) out += ',';
    out += share.name.view();
    if (!share.type.empty()) out += format(":{}", share.type.view());
    const IdSet& shown = share.devices.empty() ? share.indices : share.devices;
    if (with_indices && shown.empty() && share.count > 0) {  // of what is only counted
      out += format("(CNT:{})", share.count);
      continue;
    }
    out += format(":{}", share.count);
    if (with_indices) out += format("(IDX:{})", shown.empty() ? "N/A" : ranges_text(shown));
  }
  return out;
}

std::string node_text(const wire::NodeView& view, const ShowStyle& style) {
  const Node& node = *view.node;
  const NodeConfig& config = node.config;
  RecordLines lines(style);
  add_hardware(lines, view, style);
  add_system(lines, view);
  lines.add(format("State={} ThreadsPerCore={} TmpDisk={} Weight={} Owner={} MCS_label=N/A",
                   node_state_long(node), config.threads_per_core, config.tmp_disk_mib,
                   config.weight, view.owner.empty() ? "N/A" : view.owner.view()));
  if (!node.reboot.next_state.empty())
    lines.add(format("NextState={}", node.reboot.next_state.view()));
  if (!view.partitions.empty()) lines.add(format("Partitions={} ", join_texts(view.partitions)));
  lines.add(format("BootTime={} SlurmdStartTime={}", date_or_none(node.facts.boot_time),
                   date_or_none(node.facts.slurmd_started)));
  lines.add(format("LastBusyTime={}", format_date(node.last_busy)));
  const std::uint64_t cpus = config.cpus - spec_cpus(config).size();
  lines.add(format("CfgTRES=cpu={},mem={},billing={}{}", cpus, format_mib(config.memory_mib), cpus,
                   gres_sums(config.gres)));
  lines.add(format("AllocTRES={}", allocated_tres(node)));
  lines.add("CapWatts=n/a");
  lines.add("CurrentWatts=0 AveWatts=0");
  lines.add("ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s");
  if (!node.reason.empty()) {
    std::string who;
    if (is_set(node.reason_time))
      who = format(" [{}@{}]", style.user_name(node.reason_uid), format_date(node.reason_time));
    lines.add(format("Reason={}{}", node.reason.view(), who));
  }
  if (!node.comment.empty()) lines.add(format("Comment={}", node.comment.view()));
  if (!node.extra.empty()) lines.add(format("Extra={}", node.extra.view()));
  return lines.finish(false);
}

static std::string count_or_unlimited(std::uint32_t count) {
  return count == 0xffffffffu ? "UNLIMITED" : std::to_string(count);
}

// What Nodes= names that is no node.
static std::string node_sets(const wire::PartitionView& view) {
  std::vector<std::string> sets, none;
  for (std::string& name : expand_hostlist(view.partition.nodes_text).value_or(none))
    if (name != "ALL" && std::ranges::find(view.node_names, Text(name)) == view.node_names.end())
      sets.push_back(std::move(name));
  return join(sets, ",");
}

std::string partition_text(const wire::PartitionView& view, const ShowStyle& style) {
  static constexpr std::string_view kStates[] = {"UP", "DOWN", "DRAIN", "INACTIVE"};
  const Partition& p = view.partition;
  RecordLines lines(style);
  lines.add(format("PartitionName={}", p.name.view()));
  // Who is denied is told where nobody is named as allowed.
  std::string accounts = p.deny_accounts.empty() || !p.allow_accounts.empty()
                             ? "AllowAccounts=" + or_default(p.allow_accounts, "ALL")
                             : "DenyAccounts=" + p.deny_accounts.str();
  std::string qos = p.deny_qos.empty() || !p.allow_qos.empty()
                        ? "AllowQos=" + or_default(p.allow_qos, "ALL")
                        : "DenyQos=" + p.deny_qos.str();
  lines.add(format("AllowGroups={} {} {}", or_default(p.allow_groups, "ALL"), accounts, qos));
  std::string alternate = p.alternate.empty() ? "" : format(" Alternate={}", p.alternate.view());
  std::string bind = p.cpu_bind.empty() ? "" : format(" CpuBind={} ", p.cpu_bind.view());
  lines.add(format("AllocNodes={}{} Default={}{} QoS={}", or_default(p.allow_alloc_nodes, "ALL"),
                   alternate, yes_no(p.is_default), bind, or_default(p.qos, "N/A")));
  lines.add(format("DefaultTime={} DisableRootJobs={} ExclusiveUser={} GraceTime={} Hidden={}",
                   p.default_time ? format_limit(*p.default_time) : "NONE",
                   yes_no(p.disable_root_jobs), yes_no(p.exclusive_user), p.grace_time_s,
                   yes_no(p.hidden)));
  lines.add(format("MaxNodes={} MaxTime={} MinNodes={} LLN={} MaxCPUsPerNode={}",
                   or_unlimited(p.max_nodes), p.max_time ? format_limit(*p.max_time) : "UNLIMITED",
                   p.min_nodes, yes_no(p.lln), or_unlimited(p.max_cpus_per_node)));
  if (const std::string sets = node_sets(view); !sets.empty())
    lines.add(format("NodeSets={}", sets));
  lines.add(format("Nodes={}", or_null(view.nodes)));
  lines.add(format("PriorityJobFactor={} PriorityTier={} RootOnly={} ReqResv={} OverSubscribe={}",
                   p.priority_job_factor, p.priority_tier, yes_no(p.root_only), yes_no(p.req_resv),
                   or_default(p.oversubscribe, "NO")));
  lines.add(format("OverTimeLimit={} PreemptMode={}",
                   p.over_time_limit ? count_or_unlimited(*p.over_time_limit) : "NONE",
                   or_default(p.preempt_mode, "OFF")));
  lines.add(format("State={} TotalCPUs={} TotalNodes={} SelectTypeParameters={}",
                   kStates[static_cast<std::size_t>(p.state)], view.total_cpus, view.total_nodes,
                   or_default(p.select_type_parameters, "NONE")));
  lines.add(format("JobDefaults={}", or_null(p.job_defaults)));
  std::string def_mem = p.default_memory_per_cpu_mib
                            ? format("DefMemPerCPU={}", *p.default_memory_per_cpu_mib)
                            : "DefMemPerNode=" + or_unlimited(p.default_memory_per_node_mib);
  std::string max_mem = p.max_memory_per_cpu_mib
                            ? format("MaxMemPerCPU={}", *p.max_memory_per_cpu_mib)
                            : "MaxMemPerNode=" + or_unlimited(p.max_memory_per_node_mib);
  lines.add(def_mem + " " + max_mem);
  lines.add(format("TRES={}", view.total_nodes == 0 ? "(null)" : or_null(view.tres)));
  if (!p.tres_billing_weights.empty())
    lines.add(format("TRESBillingWeights={}", p.tres_billing_weights.view()));
  return lines.finish(false);
}

// Without a wish tasks are laid out in blocks, and one on each node counts as cyclic. Where srun
// made the job itself, only with both -N and -n.
static std::string laid_out_as(const Step& step, const JobSpec& spec) {
  Distribution how;
  const bool is_counted = !spec.for_own_step || (spec.nodes_given && spec.num_tasks);
  if (step.num_tasks <= step.nodes.size() && is_counted) how.kind = Distribution::Kind::cyclic;
  if (!step.distribution.empty()) how = parse_distribution(step.distribution.view()).value_or(how);
  return distribution_name(how);
}

static std::string step_amounts(const Step& step) {
  std::string amounts;
  if (step.tres.with_cpus) amounts = format("cpu:{}", step.num_tasks * step.cpus_per_task);
  if (!step.tres.per_step.empty()) amounts += format(",{}", step.tres.per_step.view());
  return amounts;
}

std::string step_text(const wire::JobView& view, const Step& step, std::string_view suffix,
                      const ShowStyle& style) {
  const Job& job = *view.job;
  bool numbered = is_numbered(step.id);
  std::vector<std::string> names;
  std::vector<NodeShare> shares;
  for (const StepNode& at : step.nodes) {
    shares.push_back(at.share);
    for (std::size_t i = 0; i < job.run->allocation.size() && i < view.node_names.size(); ++i)
      if (job.run->allocation[i].node == at.node) names.push_back(view.node_names[i].str());
  }
  Tres tres = total(shares);
  std::string job_part = job.task_id == kNoTask ? std::to_string(job.id.value) : job_name(job);
  RecordLines lines(style);
  const Minutes limit = step.time_limit.count() == 0 ? kUnlimited : step.time_limit;
  lines.add(format("StepId={}.{}{} UserId={} StartTime={} TimeLimit={}", job_part,
                   step_name(step.id), suffix, job.spec->uid.value, format_date(step.started),
                   format_limit(limit)));
  lines.add(format("State={} Partition={} NodeList={}", state_name(step.state),
                   job.partition.view(), compress_hostlist(names)));
  lines.add(format("Nodes={} CPUs={} Tasks={} Name={} Network=(null)", step.nodes.size(),
                   numbered ? tres.cpus : 0, step.num_tasks, step.name.view()));
  std::string tres_text = format("cpu={}{}", tres.cpus, gres_sums(tres.gres));
  if (tres.memory_mib > 0) tres_text += format(",mem={}", format_mib(tres.memory_mib));
  lines.add("TRES=" + (numbered ? tres_text + format(",node={}", tres.nodes) : "(null)"));
  lines.add(format("ResvPorts={}", or_null(step.reserved_ports.text())));
  lines.add(numbered ? "CPUFreqReq=Default Dist=" + laid_out_as(step, *job.spec)
                     : "CPUFreqReq=Default");
  lines.add(format("SrunHost:Pid={}:{}", or_null(step.srun_host.view()), step.srun_pid));
  const std::string amounts = step_amounts(step);
  if (step.tres.cpus_per_gpu) lines.add(format("CpusPerTres=gres:gpu:{}", step.tres.cpus_per_gpu));
  if (step.tres.memory_per_gpu_mib)
    lines.add(format("MemPerTres=gres:gpu:{}", step.tres.memory_per_gpu_mib));
  for (const auto& [key, value] :
       {std::pair("TresBind", step.tres.bind.view()), std::pair("TresFreq", step.tres.freq.view()),
        std::pair("TresPerStep", std::string_view(amounts)),
        std::pair("TresPerNode", step.tres.per_node.view()),
        std::pair("TresPerSocket", step.tres.per_socket.view()),
        std::pair("TresPerTask", step.tres.per_task.view())})
    if (!value.empty()) lines.add(format("{}={}", key, value));
  return lines.finish(false);
}

std::string config_text(const wire::ConfigReply& config, Time now) {
  std::string out = format("Configuration data as of {}\n", format_date(now));
  for (const auto& [key, value] : config.settings)
    out += key.empty() ? value + "\n" : format("{:<23} = {}\n", key, value);
  return out + "\n";
}

}  // namespace muster::cli
