// The lines of sacct.
#include "cli/sacct_list.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kHelpColumns = 4;
constexpr std::string_view kHelpCell = "                   ";

std::size_t width_of(const AcctColumn& column) {
  return static_cast<std::size_t>(std::abs(column.width));
}

void append_padded(const AcctColumn& column, std::string_view value, std::string& out) {
  if (column.width == 0) return;
  append_cell(out, value, {.width = width_of(column), .right = column.width > 0});
}

// A value that does not fit ends in '+'.
void append_value(const AcctColumn& column, std::string& value, std::string& out) {
  std::size_t width = width_of(column);
  if (width > 0 && value.size() > width) {
    value.resize(width);
    value.back() = '+';
  }
  append_padded(column, value, out);
}

void append_table_header(const std::vector<AcctColumn>& columns, std::string& out) {
  for (const AcctColumn& column : columns) {
    append_padded(column, column.field->name, out);
    out += ' ';
  }
  out += '\n';
  for (const AcctColumn& column : columns) {
    out.append(width_of(column), '-');
    out += ' ';
  }
  out += '\n';
}

void append_bars_header(const AcctOptions& options, std::string& out) {
  for (std::size_t i = 0; i < options.columns.size(); ++i) {
    out += options.columns[i].field->name;
    if (options.form == AcctForm::bars_ending || i + 1 < options.columns.size())
      out += options.delimiter;
  }
  out += '\n';
}

void append_line(const AcctLine& line, const AcctOptions& options, std::string& scratch,
                 std::string& out) {
  for (std::size_t i = 0; i < options.columns.size(); ++i) {
    scratch.clear();
    options.columns[i].field->append(line, scratch);
    if (options.form == AcctForm::table) {
      append_value(options.columns[i], scratch, out);
      out += ' ';
      continue;
    }
    out += scratch;
    if (options.form == AcctForm::bars_ending || i + 1 < options.columns.size())
      out += options.delimiter;
  }
  out += '\n';
}

bool names(const std::vector<std::string>& wanted, std::string_view name) {
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const std::string& w) { return iequals(w, name); });
}

// -T: times outside of the window are moved to its borders.
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

void append_job(const AccountingRow& row, const AcctOptions& options, AcctContext& context,
                std::string& scratch, std::string& out) {
  if (!row.steps_only) append_line({&row, nullptr, &context}, options, scratch, out);
  if (options.request.allocations_only) return;
  for (const StepRecord& step : row.steps)
    append_line({&row, &step, &context}, options, scratch, out);
}

}  // namespace

std::expected<std::vector<AcctColumn>, Refusal> parse_acct_format(std::string_view text) {
  std::vector<AcctColumn> columns;
  for (const std::string& part : split_list(text)) {
    auto percent = part.find('%');
    std::string name = part.substr(0, percent);
    if (iequals(name, "all")) {
      for (const AcctField& field : acct_fields()) columns.push_back({&field, field.width});
      continue;
    }
    const AcctField* field = find_acct_field(name);
    if (!field)
      return std::unexpected(
          Refusal{error_lines("sacct", fmt::format("Invalid field requested: \"{}\"", name))});
    AcctColumn column{field, field->width};
    if (percent != part.npos) column.width = std::atoi(part.c_str() + percent + 1);
    column.width = std::clamp(column.width, -100'000, 100'000);
    columns.push_back(column);
  }
  return columns;
}

std::string acct_field_list() {
  std::string out;
  std::size_t at = 0;
  for (const AcctField& field : acct_fields()) {
    if (at > 0) out += at % kHelpColumns == 0 ? '\n' : ' ';
    append_cell(out, field.name, {.width = kHelpCell.size(), .right = false, .whole = true});
    ++at;
  }
  return out + "\n";
}

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
                            AcctContext& context) {
  std::string out, scratch;
  if (options.header) {
    if (options.form == AcctForm::table)
      append_table_header(options.columns, out);
    else
      append_bars_header(options, out);
  }
  for (const AccountingRow& row : rows) {
    if (!passes(options, row.job)) continue;
    if (options.truncate_times)
      append_job(truncated(row, options.request.start, options.request.end), options, context,
                 scratch, out);
    else
      append_job(row, options, context, scratch, out);
  }
  return out;
}

}  // namespace muster::cli
