// Values of sacct's fields.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/sacct/row.h"

namespace muster::cli {

namespace {

constexpr std::string_view kUnits = "BKMGTP";

std::string cut_tasks(std::string_view tasks, std::size_t limit) {
  auto percent = tasks.find('%');
  std::string text(tasks.substr(0, percent));
  if (limit > 4 && text.size() >= limit) text = text.substr(0, limit - 4) + "...";
  if (percent != tasks.npos) text += tasks.substr(percent);
  return text;
}

std::string with_step(std::string id, const AcctLine& line) {
  if (line.step) id += "." + step_name(line.step->step);
  return id;
}

}  // namespace

std::string acct_job_id(const AcctLine& line) {
  const JobRecord& job = line.job();
  if (job.het_id) return with_step(fmt::format("{}+{}", job.het_id.value, job.het_offset), line);
  if (!job.array_id) return with_step(std::to_string(job.job.value), line);
  if (job.task_id != kNoTask)
    return with_step(fmt::format("{}_{}", job.array_id.value, job.task_id), line);
  if (job.waiting_tasks.empty()) return with_step(std::to_string(job.job.value), line);
  return with_step(fmt::format("{}_[{}]", job.array_id.value,
                               cut_tasks(job.waiting_tasks, line.context->task_text_limit)),
                   line);
}

std::string acct_job_id_raw(const AcctLine& line) {
  return with_step(std::to_string(line.job().job.value), line);
}

std::string acct_state(const AcctLine& line) {
  if (line.step)
    return line.step->state_text.empty() ? std::string(state_name(line.step->state))
                                         : line.step->state_text.str();
  const JobRecord& job = line.job();
  if (!job.state_text.empty()) return job.state_text.str();
  if (job.state == JobState::cancelled)
    return fmt::format("CANCELLED by {}", job.cancelled_by.value);
  return std::string(state_name(job.state));
}

Time acct_start(const AcctLine& line) {
  if (line.step) return line.step->started;
  return is_set(line.job().first_started) ? line.job().first_started : line.job().started;
}

Seconds acct_elapsed(const AcctLine& line) {
  const Seconds run = acct_run_elapsed(line);
  return line.step ? run : run + std::chrono::floor<Seconds>(line.job().earlier_run_time);
}

Seconds acct_run_elapsed(const AcctLine& line) {
  Time start = line.step ? line.step->started : line.job().started;
  Time end = line.step ? line.step->ended : line.job().ended;
  Millis suspended = line.step ? line.step->suspended : line.job().suspended;
  if (!is_set(start)) return Seconds{0};
  if (!is_set(end)) end = line.context->now;
  // Whole seconds on both sides, so that Start, End and Elapsed add up as printed.
  Seconds span{unix_seconds(end) - unix_seconds(start)};
  return std::max(span - std::chrono::floor<Seconds>(suspended), Seconds{0});
}

std::uint64_t acct_cpus(const AcctLine& line) {
  if (line.step) return line.step->num_cpus;
  return line.job().allocated_cpus > 0 ? line.job().allocated_cpus : line.job().requested_cpus;
}

std::string exit_code_text(std::uint32_t wait_status) {
  return fmt::format("{}:{}", wait_status >> 8 & 0xff, wait_status & 0x7f);
}

std::string cpu_time_text(std::uint64_t microseconds) {
  constexpr std::uint64_t kSecond = 1'000'000, kHour = 3600 * kSecond;
  if (microseconds == 0) return "00:00:00";
  std::uint64_t seconds = microseconds / kSecond;
  if (microseconds >= kHour) return format_elapsed(Seconds{static_cast<std::int64_t>(seconds)});
  return fmt::format("{:02}:{:02}.{:03}", seconds / 60, seconds % 60,
                     microseconds % kSecond / 1000);
}

Usage acct_usage(const AcctLine& line) {
  if (line.step) return line.step->usage;
  Usage sum;
  for (const StepRecord& step : line.row->steps) sum.add(step.usage);
  return sum;
}

std::string amount_text(std::uint64_t amount, char unit, const UnitStyle& style) {
  if (amount == 0) return "0";
  std::size_t at = kUnits.find(unit);
  if (style.unit != 0) {
    double value = static_cast<double>(amount);
    for (std::size_t wanted = kUnits.find(style.unit); at < wanted; ++at) value /= 1024;
    for (std::size_t wanted = kUnits.find(style.unit); at > wanted; --at) value *= 1024;
    if (value == static_cast<double>(static_cast<std::uint64_t>(value)))
      return fmt::format("{}{}", static_cast<std::uint64_t>(value), style.unit);
    return fmt::format("{:.2f}{}", value, style.unit);
  }
  if (!style.convert) return fmt::format("{}{}", amount, unit);
  // As for other memory sizes: uses the next unit if that leaves whole or half units.
  std::uint64_t halves = amount * 2;
  while (halves >= 2048 && halves % 1024 == 0 && at + 1 < kUnits.size()) {
    halves /= 1024;
    ++at;
  }
  std::string suffix = at == 0 ? "" : std::string(1, kUnits[at]);
  return fmt::format("{}{}{}", halves / 2, halves % 2 ? ".50" : "", suffix);
}

std::string tres_in_style(std::string_view tres, const UnitStyle& style) {
  if (style.convert && style.unit == 0) return std::string(tres);
  std::string out;
  for (const std::string& part : split_list(tres)) {
    if (!out.empty()) out += ',';
    auto mib =
        part.starts_with("mem=") ? parse_mib(std::string_view(part).substr(4)) : std::nullopt;
    out += mib ? "mem=" + amount_text(*mib, 'M', style) : part;
  }
  return out;
}

}  // namespace muster::cli
