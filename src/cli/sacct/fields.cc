// sacct's fields, in the order in which --helpformat lists them.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/sacct/row.h"
#include "cli/sacct/usage.h"

namespace muster::cli {

namespace {

using Line = const AcctLine&;
using Out = std::string&;

void put_number(Out out, std::uint64_t number) { out += std::to_string(number); }
void put_nothing(Line, Out) {}

// Fields of jobs that steps leave blank.
template <auto Member>
void put_job_text(Line line, Out out) {
  if (!line.step) out += line.job().*Member;
}
template <auto Member>
void put_job_number(Line line, Out out) {
  if (!line.step) put_number(out, line.job().*Member);
}
void put_time(Line line, Time t, Out out) { line.context->times.append(t, "Unknown", out); }
void put_span(Seconds span, Out out) { out += format_elapsed(span); }

void put_account(Line line, Out out) { out += line.job().account; }
void put_cpus(Line line, Out out) { put_number(out, acct_cpus(line)); }
void put_nodes(Line line, Out out) {
  const JobRecord& job = line.job();
  put_number(out, line.step                 ? line.step->num_nodes
                  : job.allocated_nodes > 0 ? job.allocated_nodes
                                            : job.requested_nodes);
}
void put_requested_nodes(Line line, Out out) {
  put_number(out, line.step ? line.step->num_nodes : line.job().requested_nodes);
}
void put_allocated_tres(Line line, Out out) {
  out +=
      tres_in_style(line.step ? line.step->tres : line.job().allocated_tres, line.context->units);
}
void put_cpu_seconds(Line line, Out out) {
  put_number(out, static_cast<std::uint64_t>(acct_elapsed(line).count()) * acct_cpus(line));
}
void put_cpu_time(Line line, Out out) {
  put_span(acct_elapsed(line) * static_cast<std::int64_t>(acct_cpus(line)), out);
}
void put_step_zero(Line line, Out out) {
  if (line.step) out += '0';
}
// Joules, in thousands where there are that many: "5.11K".
void put_energy(Line line, Out out) {
  if (!line.step) return;
  double amount = static_cast<double>(line.step->usage.energy_j.total);
  std::string_view unit = "";
  for (std::string_view larger : {"K", "M", "G"})
    if (amount >= 1000) {
      amount /= 1000;
      unit = larger;
    }
  out += unit.empty() ? fmt::format("{}", amount) : fmt::format("{:.2f}{}", amount, unit);
}
void put_frequency(Line line, Out out) {
  out += line.step && line.step->step == kBatchStep ? "0" : "Unknown";
}
void put_group(Line line, Out out) {
  if (line.step) return;
  out += line.job().group_name.empty() ? std::string_view(line.context->names.group(line.job().gid))
                                       : line.job().group_name.view();
}
void put_user(Line line, Out out) {
  if (line.step) return;
  out += line.job().user_name.empty() ? std::string_view(line.context->names.user(line.job().uid))
                                      : line.job().user_name.view();
}
void put_layout(Line line, Out out) {
  if (line.step) out += line.step->step == kBatchStep ? "Unknown" : "Block";
}
void put_node_list(Line line, Out out) {
  std::string_view nodes = line.step ? line.step->nodes : line.job().nodes;
  out += nodes.empty() ? "None assigned" : nodes;
}
void put_reason(Line line, Out out) {
  if (!line.step)
    out += line.job().reason.empty() ? std::string_view("None") : line.job().reason.view();
}
void put_requested_cpus(Line line, Out out) {
  put_number(out, line.step ? line.step->num_cpus : line.job().requested_cpus);
}
void put_requested_memory(Line line, Out out) {
  if (line.step) return;
  auto mib = parse_mib(line.job().requested_memory);
  out += mib ? amount_text(*mib, 'M', line.context->units) : line.job().requested_memory.str();
}
void put_requested_tres(Line line, Out out) {
  if (!line.step) out += tres_in_style(line.job().requested_tres, line.context->units);
}
// A held job, whose priority is 0, is not eligible.
Time eligible(const JobRecord& job) {
  return job.state == JobState::pending && job.priority == 0 ? Time{} : job.eligible;
}
// How long the job waited although it might have run.
Seconds waited(Line line) {
  const JobRecord& job = line.job();
  if (!is_set(job.eligible)) return Seconds{0};
  Time until = is_set(job.started) ? job.started
               : is_set(job.ended) ? job.ended
                                   : line.context->now;
  return std::max(Seconds{unix_seconds(until) - unix_seconds(job.eligible)}, Seconds{0});
}
void put_limit(Line line, Out out) {
  if (line.step) return;
  out +=
      line.job().time_limit.count() == 0 ? "Partition_Limit" : format_limit(line.job().time_limit);
}
void put_raw_limit(Line line, Out out) {
  if (line.step) return;
  Minutes limit = line.job().time_limit;
  out += limit.count() == 0    ? "Partition_Limit"
         : limit == kUnlimited ? "UNLIMITED"
                               : std::to_string(limit.count());
}
void put_submit_line(Line line, Out out) {
  out += line.step ? line.step->submit_line : line.job().submit_line;
}

constexpr AcctField kFields[] = {
    {"Account", 10, put_account},
    {"AdminComment", 15, put_job_text<&JobRecord::admin_comment>},
    {"AllocCPUS", 10, put_cpus},
    {"AllocNodes", 10,
     [](Line l, Out o) { put_number(o, l.step ? l.step->num_nodes : l.job().allocated_nodes); }},
    {"AllocTRES", 10, put_allocated_tres},
    {"AssocID", 7, [](Line, Out o) { o += '0'; }},
    {"AveCPU", 10, put_measure<&Usage::cpu_us, average_of, put_cpu_amount>},
    {"AveCPUFreq", 10, put_step_zero},
    {"AveDiskRead", 14, put_measure<&Usage::read_bytes, average_of, put_disk_amount>},
    {"AveDiskWrite", 14, put_measure<&Usage::written_bytes, average_of, put_disk_amount>},
    {"AvePages", 10, put_measure<&Usage::pages, average_of, put_count>},
    {"AveRSS", 10, put_measure<&Usage::rss_kib, average_of, put_kib_amount>},
    {"AveVMSize", 10, put_measure<&Usage::vmem_kib, average_of, put_kib_amount>},
    {"BlockID", 16, put_nothing},
    {"Cluster", 10, [](Line l, Out o) { o += l.job().cluster; }},
    {"Comment", 14, put_job_text<&JobRecord::comment>},
    {"Constraints", 19, put_job_text<&JobRecord::constraints>},
    {"ConsumedEnergy", 14, put_energy},
    {"ConsumedEnergyRaw", 17,
     [](Line l, Out o) {
       if (l.step) put_number(o, l.step->usage.energy_j.total);
     }},
    {"Container", 19, put_nothing},
    {"CPUTime", 10, put_cpu_time},
    {"CPUTimeRAW", 10, put_cpu_seconds},
    {"DBIndex", -10, [](Line l, Out o) { put_number(o, l.job().job.value); }},
    {"DerivedExitCode", 15,
     [](Line l, Out o) {
       if (!l.step) o += exit_code_text(l.job().derived_exit_status);
     }},
    {"Elapsed", 10, [](Line l, Out o) { put_span(acct_elapsed(l), o); }},
    {"ElapsedRaw", 10,
     [](Line l, Out o) { put_number(o, static_cast<std::uint64_t>(acct_elapsed(l).count())); }},
    {"Eligible", 19,
     [](Line l, Out o) { put_time(l, l.step ? l.step->started : eligible(l.job()), o); }},
    {"End", 19, [](Line l, Out o) { put_time(l, l.step ? l.step->ended : l.job().ended, o); }},
    {"ExitCode", 8,
     [](Line l, Out o) {
       o += exit_code_text(l.step ? l.step->exit_status : l.job().exit_status);
     }},
    {"Flags", 19, put_job_text<&JobRecord::flags>},
    {"GID", 6,
     [](Line l, Out o) {
       if (!l.step) put_number(o, l.job().gid.value);
     }},
    {"Group", 9, put_group},
    {"JobID", -12, [](Line l, Out o) { o += acct_job_id(l); }},
    {"JobIDRaw", -12, [](Line l, Out o) { o += acct_job_id_raw(l); }},
    {"JobName", 10, [](Line l, Out o) { o += l.step ? l.step->name : l.job().name; }},
    {"Layout", 9, put_layout},
    {"MaxDiskRead", 12, put_measure<&Usage::read_bytes, max_of, put_disk_amount>},
    {"MaxDiskReadNode", 15, put_measure_node<&Usage::read_bytes, max_node_of>},
    {"MaxDiskReadTask", 15, put_measure_task<&Usage::read_bytes, max_task_of>},
    {"MaxDiskWrite", 12, put_measure<&Usage::written_bytes, max_of, put_disk_amount>},
    {"MaxDiskWriteNode", 16, put_measure_node<&Usage::written_bytes, max_node_of>},
    {"MaxDiskWriteTask", 16, put_measure_task<&Usage::written_bytes, max_task_of>},
    {"MaxPages", 8, put_measure<&Usage::pages, max_of, put_count>},
    {"MaxPagesNode", 12, put_measure_node<&Usage::pages, max_node_of>},
    {"MaxPagesTask", 14, put_measure_task<&Usage::pages, max_task_of>},
    {"MaxRSS", 10, put_measure<&Usage::rss_kib, max_of, put_kib_amount>},
    {"MaxRSSNode", 10, put_measure_node<&Usage::rss_kib, max_node_of>},
    {"MaxRSSTask", 10, put_measure_task<&Usage::rss_kib, max_task_of>},
    {"MaxVMSize", 10, put_measure<&Usage::vmem_kib, max_of, put_kib_amount>},
    {"MaxVMSizeNode", 14, put_measure_node<&Usage::vmem_kib, max_node_of>},
    {"MaxVMSizeTask", 14, put_measure_task<&Usage::vmem_kib, max_task_of>},
    {"McsLabel", 12, put_nothing},
    {"MinCPU", 10, put_measure<&Usage::cpu_us, min_of, put_cpu_amount>},
    {"MinCPUNode", 10, put_measure_node<&Usage::cpu_us, min_node_of>},
    {"MinCPUTask", 10, put_measure_task<&Usage::cpu_us, min_task_of>},
    {"NCPUS", 10, put_cpus},
    {"NNodes", 8, put_nodes},
    {"NodeList", 15, put_node_list},
    {"NTasks", 8,
     [](Line l, Out o) {
       if (l.step) put_number(o, l.step->num_tasks);
     }},
    {"Partition", 10, put_job_text<&JobRecord::partition>},
    {"Priority", 10, put_job_number<&JobRecord::priority>},
    {"QOS", 10, put_job_text<&JobRecord::qos>},
    {"QOSRAW", 6,
     [](Line l, Out o) {
       if (!l.step) o += l.job().qos.empty() ? "0" : "1";
     }},
    {"Reason", 22, put_reason},
    {"ReqCPUFreq", 10, put_frequency},
    {"ReqCPUFreqGov", 13, put_frequency},
    {"ReqCPUFreqMax", 13, put_frequency},
    {"ReqCPUFreqMin", 13, put_frequency},
    {"ReqCPUS", 8, put_requested_cpus},
    {"ReqMem", 10, put_requested_memory},
    {"ReqNodes", 8, put_requested_nodes},
    {"ReqTRES", 10, put_requested_tres},
    {"Reservation", 20, put_job_text<&JobRecord::reservation>},
    {"ReservationId", 8, put_nothing},
    {"Reserved", 10,
     [](Line l, Out o) {
       if (!l.step) put_span(waited(l), o);
     }},
    {"ResvCPU", 10,
     [](Line l, Out o) {
       if (!l.step) put_span(waited(l) * l.job().requested_cpus, o);
     }},
    {"ResvCPURAW", 10,
     [](Line l, Out o) {
       if (!l.step) o += std::to_string(waited(l).count() * l.job().requested_cpus);
     }},
    {"Start", 19,
     [](Line l, Out o) { put_time(l, l.step ? l.step->started : l.job().started, o); }},
    {"State", 10, [](Line l, Out o) { o += acct_state(l); }},
    {"Submit", 19,
     [](Line l, Out o) { put_time(l, l.step ? l.step->started : l.job().submitted, o); }},
    {"SubmitLine", 20, put_submit_line},
    {"Suspended", 10,
     [](Line l, Out o) {
       put_span(std::chrono::floor<Seconds>(l.step ? l.step->suspended : l.job().suspended), o);
     }},
    {"SystemComment", 15, put_nothing},
    {"SystemCPU", 10, [](Line l, Out o) { o += cpu_time_text(acct_usage(l).system_cpu_us); }},
    {"Timelimit", 10, put_limit},
    {"TimelimitRaw", 10, put_raw_limit},
    {"TotalCPU", 10,
     [](Line l, Out o) {
       Usage u = acct_usage(l);
       o += cpu_time_text(u.user_cpu_us + u.system_cpu_us);
     }},
    {"TRESUsageInAve", 14, [](Line l, Out o) { o += usage_in_text(l, average_of); }},
    {"TRESUsageInMax", 14, [](Line l, Out o) { o += usage_in_text(l, max_of); }},
    {"TRESUsageInMaxNode", 18, [](Line l, Out o) { o += usage_in_nodes(l, max_node_of); }},
    {"TRESUsageInMaxTask", 18, [](Line l, Out o) { o += usage_in_tasks(l, max_task_of); }},
    {"TRESUsageInMin", 14, [](Line l, Out o) { o += usage_in_text(l, min_of); }},
    {"TRESUsageInMinNode", 18, [](Line l, Out o) { o += usage_in_nodes(l, min_node_of); }},
    {"TRESUsageInMinTask", 18, [](Line l, Out o) { o += usage_in_tasks(l, min_task_of); }},
    {"TRESUsageInTot", 14, [](Line l, Out o) { o += usage_in_text(l, total_of); }},
    {"TRESUsageOutAve", 15, [](Line l, Out o) { o += usage_out_text(l, average_of); }},
    {"TRESUsageOutMax", 15, [](Line l, Out o) { o += usage_out_text(l, max_of); }},
    {"TRESUsageOutMaxNode", 19, [](Line l, Out o) { o += usage_out_nodes(l, max_node_of); }},
    {"TRESUsageOutMaxTask", 19, [](Line l, Out o) { o += usage_out_tasks(l, max_task_of); }},
    {"TRESUsageOutMin", 15, [](Line l, Out o) { o += usage_out_text(l, min_of); }},
    {"TRESUsageOutMinNode", 19, [](Line l, Out o) { o += usage_out_nodes(l, min_node_of); }},
    {"TRESUsageOutMinTask", 19, [](Line l, Out o) { o += usage_out_tasks(l, min_task_of); }},
    {"TRESUsageOutTot", 15, [](Line l, Out o) { o += usage_out_text(l, total_of); }},
    {"UID", 6,
     [](Line l, Out o) {
       if (!l.step) put_number(o, l.job().uid.value);
     }},
    {"User", 9, put_user},
    {"UserCPU", 10, [](Line l, Out o) { o += cpu_time_text(acct_usage(l).user_cpu_us); }},
    {"WCKey", 10, put_job_text<&JobRecord::wckey>},
    {"WCKeyID", 10,
     [](Line l, Out o) {
       if (!l.step) o += '0';
     }},
    {"WorkDir", 20, put_job_text<&JobRecord::work_dir>},
};

}  // namespace

std::span<const AcctField> acct_fields() { return kFields; }

const AcctField* find_acct_field(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const AcctField& field : kFields)
    if (istarts_with(field.name, name)) return &field;
  return nullptr;
}

}  // namespace muster::cli
