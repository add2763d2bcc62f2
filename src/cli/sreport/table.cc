// Prints a report.
#include "cli/sreport/table.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/sacctmgr/words.h"

namespace muster::cli {

namespace {

constexpr std::size_t kBlockWidth = 80;
constexpr int kWidest = 1000;
constexpr int kPercentWidth = 9;  // "(100.00%)"

const ReportField* find(std::span<const ReportField> fields, std::string_view word) {
  for (const ReportField& field : fields)
    if (iequals(field.word, word)) return &field;
  for (const ReportField& field : fields)
    if (is_short_for(word, field.word, field.least)) return &field;
  return nullptr;
}

}  // namespace

std::string period_text(const ReportLine& line, bool tells_seconds) {
  const Time last = line.end - Seconds{1};
  std::string text = fmt::format("{} - {}", format_date(line.start), format_date(last));
  if (tells_seconds)
    text += fmt::format(" ({} secs)", unix_seconds(line.end) - unix_seconds(line.start));
  return text;
}

void append_report_block(std::string_view title, const ReportLine& line, bool tells_seconds,
                         std::string_view unit, std::string& out) {
  const std::string dashes(kBlockWidth, '-');
  out += fmt::format("{0}\n{1} {2}\n{3}\n{0}\n", dashes, title, period_text(line, tells_seconds),
                     unit);
}

ReportTable::ReportTable(ReportSession& session, std::span<const ReportField> fields,
                         std::string_view usual, const ReportLine& line)
    : session_(session) {
  const std::string format = line.format.empty() ? std::string(usual) : line.format;
  for (std::string_view part : split(format, ',')) {
    const auto percent = part.find('%');
    const std::string_view word = part.substr(0, percent);
    const ReportField* field = find(fields, word);
    if (!field) {
      session.fail(fmt::format(" Unknown field '{}'\n", word));
      continue;
    }
    int width = field->width;
    if (percent != part.npos)
      if (auto given = parse_number<int>(part.substr(percent + 1)); given && *given > 0)
        width = std::min(*given, kWidest);
    columns_.push_back({field, width});
  }
}

bool ReportTable::shows(Cell cell) const {
  return std::ranges::any_of(columns_,
                             [&](const Column& column) { return column.field->cell == cell; });
}

void ReportTable::widen() {
  for (Column& column : columns_) {
    if (!column.field->is_usage) continue;
    std::uint64_t most = 0;
    for (ReportRow& row : rows_) most = std::max(most, row[column.field->cell].seconds);
    const int digits = static_cast<int>(std::to_string(most).size());
    column.width = std::max(column.width, digits);
    if (session_.time.percent && session_.time.unit != TimeForm::Unit::none)
      column.width = std::max(column.field->width, digits) + kPercentWidth;
  }
}

void ReportTable::append(std::string_view text, int width, bool last, bool is_usage,
                         std::string& out) const {
  if (session_.form == BarForm::table) {
    // Usage is never cut: half a number would be another number.
    if (is_usage && text.size() > static_cast<std::size_t>(std::abs(width)))
      width = static_cast<int>(text.size());
    append_bar_cell(width, text, out);
    out += ' ';
    return;
  }
  out += text;
  if (!last || session_.form == BarForm::bars_ending) out += '|';
}

void ReportTable::print(std::string_view title, const ReportLine& line, bool tells_seconds,
                        std::string_view unit) {
  widen();
  std::string out;
  if (session_.header) {
    append_report_block(title, line, tells_seconds, unit, out);
    for (const Column& column : columns_) {
      std::string_view name = column.field->name;
      if (session_.form == BarForm::table)
        name = name.substr(0, static_cast<std::size_t>(std::abs(column.width)));
      append(name, column.width, &column == &columns_.back(), false, out);
    }
    out += '\n';
    if (session_.form == BarForm::table) {
      for (const Column& column : columns_)
        out.append(static_cast<std::size_t>(std::abs(column.width)), '-') += ' ';
      out += '\n';
    }
  }
  for (ReportRow& row : rows_) {
    for (const Column& column : columns_) {
      const ReportRow::Value& value = row[column.field->cell];
      const std::string text = column.field->is_usage
                                   ? usage_text(session_.time, value.seconds, value.whole)
                                   : value.text;
      append(text, column.width, &column == &columns_.back(), column.field->is_usage, out);
    }
    out += '\n';
  }
  if (!write_out(out)) session_.exit_code = 1;
}

}  // namespace muster::cli
