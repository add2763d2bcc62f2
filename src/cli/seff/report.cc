// Computes and formats how well a job used its cores and memory.
#include "cli/seff/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"

namespace muster::cli {

namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string memory_text(double kib) {
  constexpr std::string_view kUnits[] = {"KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; kib >= 1024 && unit + 1 < std::size(kUnits); ++unit) kib /= 1024;
  return fmt::format("{:.2f} {}", kib, kUnits[unit]);
}

// For the largest step: the peak of one task, times the number of tasks.
std::uint64_t used_kib(const AccountingRow& row) {
  std::uint64_t most = 0;
  for (const StepRecord& step : row.steps)
    most = std::max(most, step.usage.rss_kib.max * std::max(step.num_tasks, 1u));
  return most;
}

std::uint64_t given_kib(const JobRecord& job) {
  for (std::string_view part : split(job.allocated_tres.view(), ','))
    if (part.starts_with("mem="))
      if (auto mib = parse_mib(part.substr(4))) return *mib * 1024;
  return 0;
}

std::string cores_text(const JobRecord& job) {
  std::uint32_t nodes = std::max(job.allocated_nodes, 1u);
  if (job.allocated_cpus <= 1) return "Cores: 1\n";
  return fmt::format("Nodes: {}\nCores per node: {}\n", nodes, job.allocated_cpus / nodes);
}

}  // namespace

std::string efficiency_report(const AccountingRow& row, const AcctContext& context) {
  const JobRecord& job = row.job;
  AcctLine line{&row, nullptr, &context};
  std::string out = fmt::format("Job ID: {}\n", job.job.value);
  if (job.array_id) out += fmt::format("Array Job ID: {}\n", acct_job_id(line));
  const std::string group =
      job.group_name.empty() ? std::string(context.names.group(job.gid)) : job.group_name.str();
  out += fmt::format("Cluster: {}\nUser/Group: {}/{}\n", job.cluster.view(), job.user_name.view(),
                     group);
  std::string_view state = state_name(job.state);
  if (!is_ended(job.state))
    out += fmt::format("State: {}\n", state);
  else
    out += fmt::format("State: {} (exit code {})\n", state, job.exit_status >> 8 & 0xff);
  if (job.state == JobState::pending)
    return out + "Efficiency not available for jobs in the PENDING state.\n";
  out += cores_text(job);
  Usage usage = acct_usage(line);
  Seconds wall = acct_run_elapsed(line);
  Seconds core_wall = wall * std::max(job.allocated_cpus, 1u);
  Seconds used{static_cast<std::int64_t>((usage.user_cpu_us + usage.system_cpu_us) / 1'000'000)};
  out += fmt::format("CPU Utilized: {}\n", format_elapsed(used));
  out += fmt::format(
      "CPU Efficiency: {:.2f}% of {} core-walltime\n",
      percent(static_cast<double>(used.count()), static_cast<double>(core_wall.count())),
      format_elapsed(core_wall));
  out += fmt::format("Job Wall-clock time: {}\n", format_elapsed(wall));
  if (job.earlier_pieces > 0)
    out += fmt::format("Pieces: {}, {} together; the other figures are of the last one\n",
                       job.earlier_pieces + 1, format_elapsed(acct_elapsed(line)));
  auto kib = static_cast<double>(used_kib(row)), of_kib = static_cast<double>(given_kib(job));
  out += fmt::format("Memory Utilized: {}\n", memory_text(kib));
  out +=
      fmt::format("Memory Efficiency: {:.2f}% of {}\n", percent(kib, of_kib), memory_text(of_kib));
  if (is_active(job.state))
    out += fmt::format("WARNING: Efficiency statistics may be misleading for {} jobs.\n", state);
  return out;
}

}  // namespace muster::cli
