// Prints the lines of sacct.
#include "cli/sacct/list.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kHelpWidth = 19;

void append_line(const AcctLine& line, const AcctOptions& options, std::string& out) {
  append_bar_line<AcctField>(options.columns, {options.form, options.delimiter}, line, out);
}

bool names(const std::vector<std::string>& wanted, std::string_view name) {
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const std::string& w) { return iequals(w, name); });
}

// -T: times outside of the window are moved to its ends.
AccountingRow truncated(AccountingRow row, Time start, Time end) {
  auto clamp = [&](Time& t) {
    if (is_set(t) && is_set(start)) t = std::max(t, start);
    if (is_set(t) && is_set(end)) t = std::min(t, end);
  };
  clamp(row.job.started);
  clamp(row.job.ended);
  for (StepRecord& step : row.steps) {
    clamp(step.started);
    clamp(step.ended);
  }
  return row;
}

void append_job(const AccountingRow& row, const AcctOptions& options, const AcctContext& context,
                std::string& out) {
  if (!row.steps_only) append_line({&row, nullptr, &context}, options, out);
  if (options.request.allocations_only) return;
  for (const StepRecord& step : row.steps) append_line({&row, &step, &context}, options, out);
}

}  // namespace

std::expected<std::vector<AcctColumn>, Refusal> parse_acct_format(std::string_view text) {
  return read_bar_columns<AcctField>("sacct", text, find_acct_field, acct_fields());
}

std::string acct_field_list() { return bar_field_list<AcctField>(acct_fields(), kHelpWidth); }

bool passes(const AcctOptions& options, const JobRecord& job) {
  if (!options.gids.empty() && std::ranges::find(options.gids, job.gid) == options.gids.end())
    return false;
  if (!names(options.wckeys, job.wckey) || !names(options.reasons, job.reason)) return false;
  for (const std::string& wanted : options.constraints)
    if (job.constraints.view().find(wanted) == std::string_view::npos) return false;
  auto between = [](const auto& range, std::uint32_t count) {
    return !range || (count >= range->first && count <= range->second);
  };
  if (!between(options.nodes_between, job.allocated_nodes)) return false;
  if (!between(options.cpus_between, job.allocated_cpus)) return false;
  if (!options.least_limit) return true;
  if (options.most_limit)
    return job.time_limit >= *options.least_limit && job.time_limit <= *options.most_limit;
  return job.time_limit == *options.least_limit;
}

std::string list_accounting(const std::vector<AccountingRow>& rows, const AcctOptions& options,
                            const AcctContext& context) {
  std::string out;
  if (options.header)
    append_bar_header<AcctField>(options.columns, {options.form, options.delimiter}, out);
  for (const AccountingRow& row : rows) {
    if (!passes(options, row.job)) continue;
    if (options.truncate_times)
      append_job(truncated(row, options.request.start, options.request.end), options, context, out);
    else
      append_job(row, options, context, out);
  }
  return out;
}

}  // namespace muster::cli
