// sacct's fields, in the order in which --helpformat lists them.
#include <fmt/format.h>

#include "base/duration.h"
#include "base/size.h"
#include "base/strings.h"
#include "cli/sacct_row.h"

namespace muster::cli {

namespace {

using Line = const AcctLine&;
using Out = std::string&;

void put(Out out, std::uint64_t number) { out += std::to_string(number); }
void put_nothing(Line, Out) {}
bool has_usage(Line line) { return line.step && line.step->usage.rss_kib.max > 0; }
std::uint64_t tasks_of(Line line) { return std::max(line.step->num_tasks, 1u); }

// Fields of jobs that steps leave blank.
template <auto Member>
void put_job_text(Line line, Out out) {
  if (!line.step) out += line.job().*Member;
}
template <auto Member>
void put_job_number(Line line, Out out) {
  if (!line.step) put(out, line.job().*Member);
}
void put_time(Line line, Time t, Out out) { line.context->times.append(t, "Unknown", out); }
void put_span(Seconds span, Out out) { out += format_elapsed(span); }

void put_account(Line line, Out out) { out += line.job().account; }
void put_cpus(Line line, Out out) { put(out, acct_cpus(line)); }
void put_nodes(Line line, Out out) {
  const JobRecord& job = line.job();
  put(out, line.step                 ? line.step->num_nodes
           : job.allocated_nodes > 0 ? job.allocated_nodes
                                     : job.requested_nodes);
}
void put_requested_nodes(Line line, Out out) {
  put(out, line.step ? line.step->num_nodes : line.job().requested_nodes);
}
void put_allocated_tres(Line line, Out out) {
  out +=
      tres_in_style(line.step ? line.step->tres : line.job().allocated_tres, line.context->units);
}
void put_cpu_seconds(Line line, Out out) {
  put(out, static_cast<std::uint64_t>(acct_elapsed(line).count()) * acct_cpus(line));
}
void put_cpu_time(Line line, Out out) {
  put_span(acct_elapsed(line) * static_cast<std::int64_t>(acct_cpus(line)), out);
}
void put_average_cpu(Line line, Out out) {
  if (!has_usage(line)) return;
  const Usage& usage = line.step->usage;
  put_span(Seconds{static_cast<std::int64_t>((usage.user_cpu_us + usage.system_cpu_us) / 1'000'000 /
                                             tasks_of(line))},
           out);
}
void put_mebibytes(std::uint64_t bytes, Out out) {
  out += bytes == 0 ? "0" : fmt::format("{:.2f}M", static_cast<double>(bytes) / (1024 * 1024));
}
void put_read(Line line, Out out) {
  if (has_usage(line)) put_mebibytes(line.step->usage.read_bytes.total, out);
}
void put_average_read(Line line, Out out) {
  if (has_usage(line)) put_mebibytes(line.step->usage.read_bytes.total / tasks_of(line), out);
}
void put_written(Line line, Out out) {
  if (has_usage(line)) put_mebibytes(line.step->usage.written_bytes.total, out);
}
void put_average_written(Line line, Out out) {
  if (has_usage(line)) put_mebibytes(line.step->usage.written_bytes.total / tasks_of(line), out);
}
void put_zero_usage(Line line, Out out) {
  if (has_usage(line)) out += '0';
}
void put_rss(Line line, Out out) {
  if (has_usage(line)) out += amount_text(line.step->usage.rss_kib.max, 'K', line.context->units);
}
void put_virtual_memory(Line line, Out out) {
  if (has_usage(line)) out += amount_text(line.step->usage.vmem_kib.max, 'K', line.context->units);
}
void put_peak_node(Line line, Out out) {
  if (has_usage(line)) out += line.step->max_rss_node;
}
void put_peak_task(Line line, Out out) {
  if (has_usage(line)) put(out, line.step->usage.rss_kib.max_task);
}
void put_step_zero(Line line, Out out) {
  if (line.step) out += '0';
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
  put(out, line.step ? line.step->num_cpus : line.job().requested_cpus);
}
void put_requested_memory(Line line, Out out) {
  if (line.step) return;
  auto mib = parse_mib(line.job().requested_memory);
  out += mib ? amount_text(*mib, 'M', line.context->units) : line.job().requested_memory.str();
}
void put_requested_tres(Line line, Out out) {
  if (!line.step) out += tres_in_style(line.job().requested_tres, line.context->units);
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
void put_usage_in(Line line, Out out) { out += usage_in_text(line); }
void put_usage_in_node(Line line, Out out) {
  if (!has_usage(line)) return;
  std::string_view node = line.step->max_rss_node;
  out += fmt::format("cpu={0},energy={0},fs/disk={0},mem={0},pages={0},vmem={0}", node);
}
void put_usage_in_task(Line line, Out out) {
  if (has_usage(line))
    out += fmt::format("cpu={0},fs/disk={0},mem={0},pages={0},vmem={0}",
                       line.step->usage.rss_kib.max_task);
}
void put_usage_out(Line line, Out out) {
  if (has_usage(line))
    out += fmt::format("energy=0,fs/disk={}", line.step->usage.written_bytes.total);
}
void put_usage_out_node(Line line, Out out) {
  if (has_usage(line)) out += fmt::format("energy={0},fs/disk={0}", line.step->max_rss_node.view());
}
void put_usage_out_task(Line line, Out out) {
  if (has_usage(line)) out += fmt::format("fs/disk={}", line.step->usage.rss_kib.max_task);
}

constexpr AcctField kFields[] = {
    {"Account", 10, put_account},
    {"AdminComment", 15, put_job_text<&JobRecord::admin_comment>},
    {"AllocCPUS", 10, put_cpus},
    {"AllocNodes", 10,
     [](Line l, Out o) { put(o, l.step ? l.step->num_nodes : l.job().allocated_nodes); }},
    {"AllocTRES", 10, put_allocated_tres},
    {"AssocID", 7, [](Line, Out o) { o += '0'; }},
    {"AveCPU", 10, put_average_cpu},
    {"AveCPUFreq", 10, put_step_zero},
    {"AveDiskRead", 14, put_average_read},
    {"AveDiskWrite", 14, put_average_written},
    {"AvePages", 10, put_zero_usage},
    {"AveRSS", 10, put_rss},
    {"AveVMSize", 10, put_virtual_memory},
    {"BlockID", 16, put_nothing},
    {"Cluster", 10, [](Line l, Out o) { o += l.job().cluster; }},
    {"Comment", 14, put_job_text<&JobRecord::comment>},
    {"Constraints", 19, put_job_text<&JobRecord::constraints>},
    {"ConsumedEnergy", 14, put_step_zero},
    {"ConsumedEnergyRaw", 17, put_step_zero},
    {"Container", 19, put_nothing},
    {"CPUTime", 10, put_cpu_time},
    {"CPUTimeRAW", 10, put_cpu_seconds},
    {"DBIndex", -10, [](Line l, Out o) { put(o, l.job().job.value); }},
    {"DerivedExitCode", 15,
     [](Line l, Out o) {
       if (!l.step) o += exit_code_text(l.job().derived_exit_status);
     }},
    {"Elapsed", 10, [](Line l, Out o) { put_span(acct_elapsed(l), o); }},
    {"ElapsedRaw", 10,
     [](Line l, Out o) { put(o, static_cast<std::uint64_t>(acct_elapsed(l).count())); }},
    {"Eligible", 19,
     [](Line l, Out o) { put_time(l, l.step ? l.step->started : l.job().eligible, o); }},
    {"End", 19, [](Line l, Out o) { put_time(l, l.step ? l.step->ended : l.job().ended, o); }},
    {"ExitCode", 8,
     [](Line l, Out o) {
       o += exit_code_text(l.step ? l.step->exit_status : l.job().exit_status);
     }},
    {"Flags", 19, put_job_text<&JobRecord::flags>},
    {"GID", 6,
     [](Line l, Out o) {
       if (!l.step) put(o, l.job().gid.value);
     }},
    {"Group", 9, put_group},
    {"JobID", -12, [](Line l, Out o) { o += acct_job_id(l); }},
    {"JobIDRaw", -12, [](Line l, Out o) { o += acct_job_id_raw(l); }},
    {"JobName", 10, [](Line l, Out o) { o += l.step ? l.step->name : l.job().name; }},
    {"Layout", 9, put_layout},
    {"MaxDiskRead", 12, put_read},
    {"MaxDiskReadNode", 15, put_peak_node},
    {"MaxDiskReadTask", 15, put_peak_task},
    {"MaxDiskWrite", 12, put_written},
    {"MaxDiskWriteNode", 16, put_peak_node},
    {"MaxDiskWriteTask", 16, put_peak_task},
    {"MaxPages", 8, put_zero_usage},
    {"MaxPagesNode", 12, put_peak_node},
    {"MaxPagesTask", 14, put_peak_task},
    {"MaxRSS", 10, put_rss},
    {"MaxRSSNode", 10, put_peak_node},
    {"MaxRSSTask", 10, put_peak_task},
    {"MaxVMSize", 10, put_virtual_memory},
    {"MaxVMSizeNode", 14, put_peak_node},
    {"MaxVMSizeTask", 14, put_peak_task},
    {"McsLabel", 12, put_nothing},
    {"MinCPU", 10, put_average_cpu},
    {"MinCPUNode", 10, put_peak_node},
    {"MinCPUTask", 10, put_peak_task},
    {"NCPUS", 10, put_cpus},
    {"NNodes", 8, put_nodes},
    {"NodeList", 15, put_node_list},
    {"NTasks", 8,
     [](Line l, Out o) {
       if (l.step) put(o, l.step->num_tasks);
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
    {"TRESUsageInAve", 14, put_usage_in},
    {"TRESUsageInMax", 14, put_usage_in},
    {"TRESUsageInMaxNode", 18, put_usage_in_node},
    {"TRESUsageInMaxTask", 18, put_usage_in_task},
    {"TRESUsageInMin", 14, put_usage_in},
    {"TRESUsageInMinNode", 18, put_usage_in_node},
    {"TRESUsageInMinTask", 18, put_usage_in_task},
    {"TRESUsageInTot", 14, put_usage_in},
    {"TRESUsageOutAve", 15, put_usage_out},
    {"TRESUsageOutMax", 15, put_usage_out},
    {"TRESUsageOutMaxNode", 19, put_usage_out_node},
    {"TRESUsageOutMaxTask", 19, put_usage_out_task},
    {"TRESUsageOutMin", 15, put_usage_out},
    {"TRESUsageOutMinNode", 19, put_usage_out_node},
    {"TRESUsageOutMinTask", 19, put_usage_out_task},
    {"TRESUsageOutTot", 15, put_usage_out},
    {"UID", 6,
     [](Line l, Out o) {
       if (!l.step) put(o, l.job().uid.value);
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
