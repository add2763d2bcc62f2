// table: the columns of a report, and how it is printed: a block that says what it is about, the
// header, and rows. Columns of usage are as wide as their greatest number of seconds needs.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sreport/session.h"

namespace muster::cli {

enum class Cell : std::uint8_t {
  cluster,
  account,
  login,
  proper,
  wckey,
  tres_name,
  tres_count,
  used,
  energy,
  allocated,
  down,
  planned_down,
  idle,
  planned,
  reported,
  over,
  name,
  start,
  end,
  associations,
  flags,
  nodes,
  id,
  total_time,
  tres_time,
  last,
};
constexpr auto kCells = static_cast<std::size_t>(Cell::last);

struct ReportField {
  Cell cell = Cell::last;
  std::string_view word;
  std::size_t least = 1;
  std::string_view name;  // the header
  int width = 0;
  bool is_usage = false;
};

struct ReportRow {
  struct Value {
    std::string text;
    std::uint64_t seconds = 0, whole = 0;  // of usage
  };
  std::array<Value, kCells> cells;
  Value& operator[](Cell cell) { return cells[static_cast<std::size_t>(cell)]; }
};

class ReportTable {
 public:
  // `fields`: what there is; `usual`: what is shown without Format=.
  ReportTable(ReportSession& session, std::span<const ReportField> fields, std::string_view usual,
              const ReportLine& line);

  void add(ReportRow row) { rows_.push_back(std::move(row)); }
  bool shows(Cell cell) const;
  // `title`: its first line, without the time; `unit`: its second line.
  void print(std::string_view title, const ReportLine& line, bool tells_seconds,
             std::string_view unit);

 private:
  struct Column {
    const ReportField* field;
    int width;
  };
  void widen();
  void append(std::string_view text, int width, bool last, bool is_usage, std::string& out) const;

  ReportSession& session_;
  std::vector<Column> columns_;
  std::vector<ReportRow> rows_;
};

std::string period_text(const ReportLine& line, bool tells_seconds);
void append_report_block(std::string_view title, const ReportLine& line, bool tells_seconds,
                         std::string_view unit, std::string& out);

}  // namespace muster::cli
