// scontrol show job: the record of a job, with lines in the order that scripts expect.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "cli/records/job_row.h"
#include "cli/records/record_layout.h"
#include "cli/tables/ranges.h"

namespace muster::cli {

namespace {

using fmt::format;

// -d: the CPUs and devices on each node; neighbouring nodes with the same share a line.
void add_allocation(const JobRow& row, RecordLines& lines) {
  const wire::JobView& view = row.view();
  const auto& shares = row.job().run->allocation;
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

// "CPU_min_freq=Low CPU_max_freq=High Governor=OnDemand" for "Low-High:OnDemand". A speed begins
// with a digit or is one of the four words; anything else is a governor.
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
void add_cpu_frequency(const JobRow& row, RecordLines& lines) {
  if (!row.spec().cpu_freq.empty()) lines.add(cpu_frequency(row.spec().cpu_freq));
}

constexpr ShownLine<JobRow> kLines[] = {
    {"JobId ArrayJobId ArrayTaskId ArrayTaskThrottle HetJobId HetJobOffset JobName"},
    {"HetJobIdSet"},
    {"UserId GroupId MCS_label"},
    {"Priority Nice Account QOS"},
    {"JobState Reason Dependency"},
    {"Requeue Restarts BatchFlag Reboot ExitCode"},
    {"DerivedExitCode", true},
    {"RunTime TimeLimit TimeMin"},
    {"SubmitTime EligibleTime"},
    {"AccrueTime"},
    {"ResizeTime"},
    {"StartTime EndTime Deadline"},
    {"PreemptEligibleTime PreemptTime"},
    {"SuspendTime SecsPreSuspend LastSchedEval Scheduler"},
    {"Partition AllocNode:Sid"},
    {"ReqNodeList ExcNodeList"},
    {"NodeList SchedNodeList"},
    {"BatchFeatures BatchHost"},
    {"NumNodes NumCPUs NumTasks CPUs/Task ReqB:S:C:T"},
    {"TRES"},
    {"Socks/Node NtasksPerN:B:S:C CoreSpec"},
    {"", true, add_allocation},
    {"MinCPUsNode MinMemoryCPU MinMemoryNode MinTmpDiskNode"},
    {"Features DelayBoot"},
    {"Prefer"},
    {"Reservation"},
    {"OverSubscribe Contiguous Licenses Network"},
    {"Command"},
    {"WorkDir"},
    {"AdminComment "},
    {"Comment "},
    {"StdErr"},
    {"StdIn"},
    {"StdOut"},
    {"Switches"},
    {"", false, add_cpu_frequency},
    {"BurstBuffer"},
    {"Power"},
    {"KillOInInvalidDependent"},
    {"SpreadJob"},
    {"Container"},
    {"GresEnforceBind"},
    {"CpusPerTres"},
    {"MemPerTres"},
    {"TresBind"},
    {"TresFreq"},
    {"TresPerJob"},
    {"TresPerNode"},
    {"TresPerSocket"},
    {"TresPerTask"},
    {"NtasksPerTRES"},
    {"MailUser MailType"},
};

}  // namespace

std::string job_text(const wire::JobView& view, const ShowStyle& style) {
  static const RecordLayout<JobRow> layout(job_fields(), kLines);
  const QueueJob job{line_of(*view.job, view, style.context.now), &view};
  RecordLines lines(style);
  layout.append({&job, &style.context}, style, lines);
  return lines.finish(true);
}

}  // namespace muster::cli
