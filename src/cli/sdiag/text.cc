// The lines of sdiag. Programs that collect metrics read them by their words, widths and order.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/time.h"
#include "cli/sdiag/report.h"

namespace muster::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

// "Thu Nov 19 04:29:03 2026 (1795062543)"
std::string date(Time time) {
  const std::time_t seconds = is_set(time) ? static_cast<std::time_t>(unix_seconds(time)) : 0;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return fmt::format("{:%a %b %d %H:%M:%S %Y} ({})", parts, seconds);
}

void put_daemon(const wire::StatisticsReply& told, Out out) {
  constexpr std::string_view kLine = "*******************************************************";
  fmt::format_to(out, "{}\nsdiag output at {}\nData since      {}\n{}\n", kLine, date(told.now),
                 date(told.since), kLine);
  fmt::format_to(out, "Server thread count:  {}\n", told.threads);
  fmt::format_to(out, "Agent queue size:     {}\n", told.orders_waiting);
  fmt::format_to(out, "Agent count:          {}\n", told.nodes_behind);
  fmt::format_to(out, "Agent thread count:   {}\n", told.nodes_behind ? 1 : 0);
  fmt::format_to(out, "DBD Agent queue size: {}\n\n", told.accounting_rows);
}

void put_jobs(const wire::StatisticsReply& told, Out out) {
  fmt::format_to(out, "Jobs submitted: {}\n", told.jobs.submitted);
  fmt::format_to(out, "Jobs started:   {}\n", told.jobs.started);
  fmt::format_to(out, "Jobs completed: {}\n", told.jobs.completed);
  fmt::format_to(out, "Jobs canceled:  {}\n", told.jobs.canceled);
  fmt::format_to(out, "Jobs failed:    {}\n\n", told.jobs.failed);
  fmt::format_to(out, "Job states ts:  {}\n", date(told.now));
  fmt::format_to(out, "Jobs pending:   {}\n", told.jobs.pending);
  fmt::format_to(out, "Jobs running:   {}\n\n", told.jobs.running);
}

void put_main(const wire::StatisticsReply& told, Out out) {
  const wire::PlanCounts& plans = told.quick;
  fmt::format_to(out, "Main schedule statistics (microseconds):\n");
  fmt::format_to(out, "\tLast cycle:   {}\n", plans.took_us.last);
  fmt::format_to(out, "\tMax cycle:    {}\n", plans.took_us.max);
  fmt::format_to(out, "\tTotal cycles: {}\n", plans.plans);
  if (plans.plans > 0) {
    fmt::format_to(out, "\tMean cycle:   {}\n", mean(plans.took_us.sum, plans.plans));
    fmt::format_to(out, "\tMean depth cycle:  {}\n", mean(plans.examined.sum, plans.plans));
  }
  if (const auto rate = plans_per_minute(told))
    fmt::format_to(out, "\tCycles per minute: {}\n", *rate);
  fmt::format_to(out, "\tLast queue length: {}\n\n", plans.queued.last);
}

void put_backfill(const wire::StatisticsReply& told, Out out) {
  const wire::PlanCounts& plans = told.thorough;
  const bool any = plans.plans > 0;
  auto put_mean = [&](std::string_view label, const wire::PlanNumber& number) {
    if (any) fmt::format_to(out, "\t{}: {}\n", label, mean(number.sum, plans.plans));
  };
  fmt::format_to(out, "Backfilling stats\n");
  fmt::format_to(out, "\tTotal backfilled jobs (since last slurm start): {}\n", told.backfilled);
  fmt::format_to(out, "\tTotal backfilled jobs (since last stats cycle start): {}\n",
                 told.backfilled_since_reset);
  fmt::format_to(out, "\tTotal backfilled heterogeneous job components: {}\n",
                 told.backfilled_components);
  fmt::format_to(out, "\tTotal cycles: {}\n", plans.plans);
  fmt::format_to(out, "\tLast cycle when: {}\n", date(plans.last_at));
  fmt::format_to(out, "\tLast cycle: {}\n", plans.took_us.last);
  fmt::format_to(out, "\tMax cycle:  {}\n", plans.took_us.max);
  put_mean("Mean cycle", plans.took_us);
  fmt::format_to(out, "\tLast depth cycle: {}\n", plans.examined.last);
  fmt::format_to(out, "\tLast depth cycle (try sched): {}\n", plans.tried.last);
  put_mean("Depth Mean", plans.examined);
  put_mean("Depth Mean (try depth)", plans.tried);
  fmt::format_to(out, "\tLast queue length: {}\n", plans.queued.last);
  put_mean("Queue length mean", plans.queued);
  fmt::format_to(out, "\tLast table size: {}\n", plans.promised.last);
  put_mean("Mean table size", plans.promised);
}

void put_times(const wire::MessageCount& row, Out out) {
  fmt::format_to(out, "count:{:<6} ave_time:{:<6} total_time:{}\n", row.count,
                 mean(row.time_us, row.count), row.time_us);
}

void put_messages(const wire::StatisticsReply& told, const NameLookup& names, Out out) {
  fmt::format_to(out, "\nLatency for 1000 calls to gettimeofday(): {} microseconds\n",
                 told.clock_latency_us);
  fmt::format_to(out, "\nRemote Procedure Call statistics by message type\n");
  for (const wire::MessageCount& row : told.by_type) {
    fmt::format_to(out, "\t{:<40}({:>5}) ", row.name.view(), row.id);
    put_times(row, out);
  }
  fmt::format_to(out, "\nRemote Procedure Call statistics by user\n");
  for (const wire::MessageCount& row : told.by_user) {
    fmt::format_to(out, "\t{:<16}({:>8}) ", names.user(Uid{row.id}), row.id);
    put_times(row, out);
  }
  if (told.other_users.count > 0) {
    fmt::format_to(out, "\t{:<16}({:>8}) ", kOtherUsers, "");
    put_times(told.other_users, out);
  }
  fmt::format_to(out, "\nPending RPC statistics\n");
  if (told.orders.empty()) fmt::format_to(out, "\tNo pending RPCs\n");
  for (const wire::MessageCount& row : told.orders)
    fmt::format_to(out, "\t{:<40}({:>5}) count:{:<6}\n", row.name.view(), row.id, row.count);
}

}  // namespace

std::optional<std::uint64_t> plans_per_minute(const wire::StatisticsReply& told) {
  using std::chrono::minutes;
  const auto passed = std::chrono::floor<minutes>(told.now - told.since).count();
  if (passed < 1) return std::nullopt;
  return told.quick.plans / static_cast<std::uint64_t>(passed);
}

std::string statistics_text(const wire::StatisticsReply& told, const NameLookup& names) {
  std::string text;
  const Out out(text);
  put_daemon(told, out);
  put_jobs(told, out);
  put_main(told, out);
  put_backfill(told, out);
  put_messages(told, names, out);
  return text;
}

}  // namespace muster::cli
