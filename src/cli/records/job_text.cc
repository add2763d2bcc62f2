// scontrol show job: the record of a job, line by line in the order that scripts expect.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/lib/paths.h"
#include "cli/records/record_text.h"
#include "cli/records/task_text.h"
#include "cli/tables/lists.h"
#include "model/job/mail_type.h"
#include "model/job/task_count.h"

namespace muster::cli {

namespace {

using fmt::format;

template <class T>
std::string or_star(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "*";
}

std::string exit_text(std::uint32_t wait_status) {
  return format("{}:{}", wait_status >> 8 & 0xff, wait_status & 0x7f);
}

std::string first_line(const Job& job) {
  std::string line = format("JobId={}", job.id.value);
  if (job.array_id) {
    const std::string tasks = job.last_task() != kNoTask ? std::to_string(job.last_task())
                              : job.is_array_record()
                                  ? task_set_text(job.waiting_tasks, job.task_limit, 0)
                                  : std::to_string(job.task_id);
    line += format(" ArrayJobId={} ArrayTaskId={}", job.array_id.value, tasks);
    if (job.task_limit > 0) line += format(" ArrayTaskThrottle={}", job.task_limit);
  }
  if (job.is_het())
    line += format(" HetJobId={} HetJobOffset={}", job.het_id.value, job.het_offset);
  return line + format(" JobName={}", job.own.name.view());
}

// One word, whatever it says.
std::string reason_of(const wire::JobView& view) {
  std::string reason = !view.reason_detail.empty()    ? view.reason_detail.str()
                       : !view.reason.empty()         ? view.reason.str()
                       : view.job->end_reason.empty() ? "None"
                                                      : view.job->end_reason.str();
  std::ranges::replace(reason, ' ', '_');
  return reason;
}

void add_identity(RecordLines& lines, const wire::JobView& view, const ShowStyle& style) {
  const Job& job = *view.job;
  const JobSpec& spec = *job.spec;
  lines.add(first_line(job));
  if (job.is_het()) lines.add(format("HetJobIdSet={}", job.het_jobs().text()));
  lines.add(format("UserId={}({}) GroupId={}({}) MCS_label={}", spec.user_name.view(),
                   spec.uid.value, style.group_name(spec.gid), spec.gid.value,
                   spec.mcs_label.empty() ? "N/A" : spec.mcs_label.view()));
  lines.add(format("Priority={} Nice={} Account={} QOS={}",
                   job.hold == Hold::none ? job.priority : 0, spec.nice, or_null(job.account),
                   or_null(job.qos)));
  lines.add(format("JobState={} Reason={} Dependency={}",
                   job.run->preparing       ? "CONFIGURING"
                   : job.completing()       ? "COMPLETING"
                   : job.lost_reservation() ? "RESV_DEL_HOLD"
                   : job.special_exit()     ? "SPECIAL_EXIT"
                                            : state_name(job.state),
                   reason_of(view), or_null(view.dependency)));
  lines.add(format("Requeue={:d} Restarts={} BatchFlag={:d} Reboot={:d} ExitCode={}",
                   spec.requeue.value_or(true), job.restarts, spec.kind == JobKind::batch,
                   spec.reboot, exit_text(job.run->exit_status)));
  if (style.details)
    lines.add(format("DerivedExitCode={}", exit_text(job.run->derived_exit_status)));
}

struct StartAndEnd {
  Time start, end;
};
StartAndEnd start_and_end(const wire::JobView& view) {
  const Job& job = *view.job;
  if (const Time end = job.over_since(); is_set(end))
    return {is_set(job.run->started) ? job.run->started : end, end};
  if (is_set(job.run->started)) {
    if (job.time_limit == kUnlimited) return {job.run->started, Time{}};
    return {job.run->started, job.run->started + job.time_limit + job.run->suspended_total};
  }
  Time start = is_set(view.expected_start) ? view.expected_start : job.own.begin;
  bool bounded = is_set(start) && job.time_limit != kUnlimited && job.time_limit > Minutes{0};
  return {start, bounded ? start + job.time_limit : Time{}};
}

void add_times(RecordLines& lines, const wire::JobView& view, const ShowStyle& style) {
  const Job& job = *view.job;
  const JobSpec& spec = *job.spec;
  auto [start, end] = start_and_end(view);
  lines.add(format("RunTime={} TimeLimit={} TimeMin={}",
                   format_elapsed(std::chrono::floor<Seconds>(job.run_time(style.now))),
                   format_limit(job.time_limit),
                   spec.time_min ? format_limit(*spec.time_min) : "N/A"));
  lines.add(format("SubmitTime={} EligibleTime={}", format_date(job.submitted),
                   format_date(view.eligible())));
  lines.add(format("AccrueTime={}", format_date(job.accrues_since)));
  if (is_set(job.run->resized)) lines.add(format("ResizeTime={}", format_date(job.run->resized)));
  lines.add(format("StartTime={} EndTime={} Deadline={}", format_date(start), format_date(end),
                   is_set(spec.deadline) ? format_date(spec.deadline) : "N/A"));
  if (is_set(view.preemptable_since)) {
    const Time preempted = job.preempt_time();
    lines.add(format("PreemptEligibleTime={} PreemptTime={}", format_date(view.preemptable_since),
                     is_set(preempted) ? format_date(preempted) : "None"));
  }
  std::string suspended = "None";
  Seconds before{0};
  if (is_set(job.run->suspended_at)) {
    suspended = format_date(job.run->suspended_at);
    before = std::chrono::floor<Seconds>(job.run_time(style.now));
  } else if (job.run->suspended_total >
             Millis{0}) {  // since when it runs again, and how long it had
    suspended = format_date(job.run->turn_since);
    before = std::chrono::floor<Seconds>(job.run->turn_since - job.run->started -
                                         job.run->suspended_total);
  }
  lines.add(format("SuspendTime={} SecsPreSuspend={} LastSchedEval={} Scheduler=Main", suspended,
                   before.count(), format_date(view.last_evaluated)));
}

// While it waits: what was asked for, "2-2" where -N said so, and what its tasks need.
std::string num_nodes(const wire::JobView& view) {
  const Job& job = *view.job;
  if (!job.run->allocation.empty()) return std::to_string(job.run->allocation.size());
  const JobSpec& spec = *job.spec;
  const std::uint32_t least = std::max(spec.min_nodes, view.least_nodes);
  if (spec.max_nodes == 0) return std::to_string(least);
  return format("{}-{}", least, std::max(least, spec.max_nodes));
}

std::uint32_t num_tasks(const JobSpec& spec) {
  if (spec.num_tasks) return *spec.num_tasks;
  return spec.min_nodes * std::max(1u, spec.ntasks_per_node.value_or(1));
}

void add_place(RecordLines& lines, const wire::JobView& view) {
  const Job& job = *view.job;
  const JobSpec& spec = *job.spec;
  bool waits = job.state == JobState::pending && !spec.partition.empty();
  lines.add(format("Partition={} AllocNode:Sid={}:{}",
                   (waits ? spec.partition : job.partition).view(), spec.submit_host.view(),
                   job.own.submit_sid));
  lines.add(format("ReqNodeList={} ExcNodeList={}", or_null(spec.required_nodes),
                   or_null(spec.excluded_nodes)));
  std::string nodes = format("NodeList={}", view.nodes.view());
  if (!view.scheduled_nodes.empty())
    nodes += format(" SchedNodeList={}", view.scheduled_nodes.view());
  lines.add(nodes);
  Text batch_host = view.batch_host;
  if (batch_host.empty() && !view.node_names.empty()) batch_host = view.node_names.front();
  std::string batch;
  if (!spec.batch_features.empty()) batch = format("BatchFeatures={}", spec.batch_features.view());
  if (!batch_host.empty())
    batch += format("{}BatchHost={}", batch.empty() ? "" : " ", batch_host.view());
  if (!batch.empty()) lines.add(batch);
}

void add_amounts(RecordLines& lines, const wire::JobView& view) {
  const Job& job = *view.job;
  const JobSpec& spec = *job.spec;
  Tres tres = job.run->allocation.empty() ? requested_tres(view) : total(job.run->allocation);
  tres.billing = view.billing.value_or(tres.billing);
  lines.add(format("NumNodes={} NumCPUs={} NumTasks={} CPUs/Task={} ReqB:S:C:T=0:0:{}:{}",
                   num_nodes(view), tres.cpus, task_count(job), spec.cpus_per_task.value_or(1),
                   or_star(spec.cores_per_socket), or_star(spec.threads_per_core)));
  lines.add(format("TRES={}", tres.text()));
  lines.add(format("Socks/Node={} NtasksPerN:B:S:C={}:0:{}:{} CoreSpec={}",
                   or_star(spec.sockets_per_node), spec.ntasks_per_node.value_or(0),
                   or_star(spec.ntasks_per_socket), or_star(spec.ntasks_per_core),
                   or_star(spec.core_spec)));
}

// -d: which CPUs and devices on which nodes; neighbours that hold the same share a line.
void add_allocation(RecordLines& lines, const wire::JobView& view) {
  const auto& shares = view.job->run->allocation;
  if (shares.empty()) return;
  std::vector<GresShare> all;
  for (const NodeShare& share : shares)
    for (const GresShare& part : share.gres) {
      auto same = std::ranges::find_if(
          all, [&](const GresShare& g) { return g.name == part.name && g.type == part.type; });
      if (same == all.end())
        all.push_back(part);
      else
        same->count += part.count;
    }
  lines.add(format("JOB_GRES={}", or_null(gres_text(all, false))));
  for (std::size_t i = 0; i < shares.size();) {
    std::vector<std::string> names;
    std::size_t end = i;
    while (end < shares.size() && shares[end].cpus == shares[i].cpus &&
           shares[end].memory_mib == shares[i].memory_mib && shares[end].gres == shares[i].gres) {
      if (end < view.node_names.size()) names.push_back(view.node_names[end].str());
      ++end;
    }
    lines.add_inner(format("Nodes={} CPU_IDs={} Mem={} GRES={}", compress_hostlist(names),
                           ranges_text(shares[i].cpus), shares[i].memory_mib,
                           gres_text(shares[i].gres, true)));
    i = end;
  }
}

std::string minimum_memory(const JobSpec& spec) {
  auto shown = [](std::uint64_t mib) { return mib == 0 ? "0" : format_mib(mib); };
  if (spec.memory_per_cpu_mib) return "MinMemoryCPU=" + shown(*spec.memory_per_cpu_mib);
  return "MinMemoryNode=" + shown(spec.memory_per_node_mib.value_or(0));
}

void add_requirements(RecordLines& lines, const wire::JobView& view) {
  const JobSpec& spec = *view.job->spec;
  std::uint64_t disk = spec.tmp_disk_mib.value_or(0);
  lines.add(format("MinCPUsNode={} {} MinTmpDiskNode={}", least_cpus_per_node(spec),
                   minimum_memory(spec), disk == 0 ? "0" : format_mib(disk)));
  const bool waits = view.job->state == JobState::pending;
  lines.add(format("Features={} DelayBoot={}",
                   or_null(view.job->run->has_preferred && !waits ? spec.prefer : spec.features),
                   format_elapsed(Seconds{spec.delay_boot_s.value_or(0)})));
  if (waits && !spec.prefer.empty()) lines.add(format("Prefer={}", spec.prefer.view()));
  if (const Text& names = view.job->shown_reservation(); !names.empty())
    lines.add(format("Reservation={}", names.view()));
  lines.add(format("OverSubscribe={} Contiguous={:d} Licenses={} Network={}",
                   sharing_name(view.sharing), spec.contiguous, or_null(spec.licenses),
                   or_null(spec.network)));
}

void add_files(RecordLines& lines, const Job& job) {
  const JobSpec& spec = *job.spec;
  std::string command(or_null(job.own.command));
  if (!job.own.command.empty())
    for (const Text& arg : job.own.script_args) command += format(" {}", arg.view());
  lines.add("Command=" + command);
  lines.add(format("WorkDir={}", job.own.work_dir.view()));
  if (!spec.admin_comment.empty()) lines.add(format("AdminComment={} ", spec.admin_comment.view()));
  if (!job.own.comment.empty()) lines.add(format("Comment={} ", job.own.comment.view()));
  if (spec.kind != JobKind::batch) return;
  lines.add("StdErr=" + shown_stderr(job));
  lines.add("StdIn=" + shown_stdin(job));
  lines.add("StdOut=" + shown_stdout(job));
}

// "CPU_min_freq=Low CPU_max_freq=High Governor=OnDemand" of "Low-High:OnDemand". A speed begins
// with a digit or is one of the four words; all else is a governor.
std::string cpu_frequency(std::string_view text) {
  auto colon = text.find(':');
  std::string_view speeds = text.substr(0, colon), governor;
  if (colon != text.npos) governor = text.substr(colon + 1);
  const bool has_speed = std::isdigit(static_cast<unsigned char>(speeds[0])) != 0 ||
                         speeds.starts_with("Low") || speeds.starts_with("Medium") ||
                         speeds.starts_with("High");
  if (!has_speed) std::swap(speeds, governor);
  std::string out;
  auto dash = speeds.find('-');
  if (dash != speeds.npos) out += format("CPU_min_freq={} ", speeds.substr(0, dash));
  if (!speeds.empty()) out += format("CPU_max_freq={} ", speeds.substr(dash + 1));
  if (!governor.empty()) out += format("Governor={}", governor);
  return out;
}

void add_tail(RecordLines& lines, const JobSpec& spec) {
  if (spec.switches)
    lines.add(format("Switches={}@{}", spec.switches,
                     format_elapsed(spec.switches_wait.value_or(Seconds{0}))));
  if (!spec.cpu_freq.empty()) lines.add(cpu_frequency(spec.cpu_freq));
  if (!spec.burst_buffer.empty()) lines.add(format("BurstBuffer={}", spec.burst_buffer.view()));
  lines.add(format("Power={}", spec.power.view()));
  if (spec.kill_on_invalid_dependency)
    lines.add(format("KillOInInvalidDependent={}",  // as the reference spells it
                     *spec.kill_on_invalid_dependency ? "Yes" : "No"));
  if (spec.spread_job) lines.add("SpreadJob=Yes");
  if (!spec.container.empty()) lines.add(format("Container={}", spec.container.view()));
  if (spec.enforce_binding) lines.add("GresEnforceBind=Yes");
  if (spec.disable_binding) lines.add("GresEnforceBind=No");
  if (spec.cpus_per_gpu) lines.add(format("CpusPerTres=gres:gpu:{}", *spec.cpus_per_gpu));
  if (spec.memory_per_gpu_mib)
    lines.add(format("MemPerTres=gres:gpu:{}", *spec.memory_per_gpu_mib));
  auto add_tres = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) lines.add(format("{}={}", key, value));
  };
  if (!spec.gpu_bind.empty()) lines.add(format("TresBind=gpu:{}", spec.gpu_bind.view()));
  if (!spec.gpu_freq.empty()) lines.add(format("TresFreq=gpu:{}", spec.gpu_freq.view()));
  add_tres("TresPerJob", tres_list(as_gres(spec.gpus)));
  add_tres("TresPerNode", tres_list(gres_of_each_node(spec)));
  add_tres("TresPerSocket", tres_list(as_gres(spec.gpus_per_socket)));
  add_tres("TresPerTask", tres_list(as_gres(spec.gpus_per_task)));
  if (spec.ntasks_per_gpu) lines.add(format("NtasksPerTRES={}", *spec.ntasks_per_gpu));
  if (spec.mail_type != 0)
    lines.add(format("MailUser={} MailType={}",
                     (spec.mail_user.empty() ? spec.user_name : spec.mail_user).view(),
                     mail_types_text(spec.mail_type)));
}

}  // namespace

Tres requested_tres(const wire::JobView& view) {
  const JobSpec& spec = *view.job->spec;
  Tres tres;
  std::uint32_t tasks = num_tasks(spec);
  tres.nodes = spec.min_nodes;
  tres.cpus =
      spec.overcommit ? spec.min_nodes : std::uint64_t{tasks} * spec.cpus_per_task.value_or(1);
  tres.billing = tres.cpus;
  auto add = [&](const GresRequest& gres, std::uint64_t times) {
    auto same = std::ranges::find(tres.gres, gres.name, &GresShare::name);
    if (same == tres.gres.end())
      tres.gres.push_back({gres.name, {}, gres.count * times, {}});
    else
      same->count += gres.count * times;
  };
  // A text that does not parse was refused when it was submitted.
  if (auto all = parse_gres(spec.gres); all)
    for (const GresRequest& gres : *all) add(gres, spec.min_nodes);
  auto add_gpus = [&](const Text& text, std::uint64_t times) {
    if (auto gpus = parse_gpus(text); gpus)
      for (const GresRequest& of_type : *gpus) add(of_type, times);
  };
  if (!spec.gpus.empty())
    add_gpus(spec.gpus, 1);
  else if (!spec.gpus_per_node.empty())
    add_gpus(spec.gpus_per_node, spec.min_nodes);
  else if (!spec.gpus_per_task.empty())
    add_gpus(spec.gpus_per_task, tasks);
  else
    add_gpus(spec.gpus_per_socket,
             std::uint64_t{spec.min_nodes} * spec.sockets_per_node.value_or(1));
  std::uint64_t gpu_count = 0;
  for (const GresShare& gres : tres.gres)
    if (gres.name == "gpu") gpu_count = gres.count;
  if (spec.memory_per_cpu_mib)
    tres.memory_mib = *spec.memory_per_cpu_mib * tres.cpus;
  else if (spec.memory_per_gpu_mib)
    tres.memory_mib = *spec.memory_per_gpu_mib * gpu_count;
  else
    tres.memory_mib =
        std::max(spec.memory_per_node_mib.value_or(0), view.whole_node_mib) * spec.min_nodes;
  return tres;
}

std::string job_text(const wire::JobView& view, const ShowStyle& style) {
  const Job& job = *view.job;
  RecordLines lines(style);
  add_identity(lines, view, style);
  add_times(lines, view, style);
  add_place(lines, view);
  add_amounts(lines, view);
  if (style.details) add_allocation(lines, view);
  add_requirements(lines, view);
  add_files(lines, job);
  add_tail(lines, *job.spec);
  return lines.finish(true);
}

}  // namespace muster::cli
