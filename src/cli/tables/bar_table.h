// Tables as sacct, sstat and sshare print them: columns selected by name ("user%12,state%-20"),
// under a header with a line of dashes, or as fields between bars.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/lib/errors.h"
#include "cli/tables/colour.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

// A Field has a `name`, a `width` (negative = left-aligned) and `append(line, out)`.
template <class Field>
struct BarColumn {
  const Field* field = nullptr;
  int width = 0;
};

enum class BarForm : std::uint8_t { table, bars_ending, bars };  // plain, -p, -P

struct BarStyle {
  BarForm form = BarForm::table;
  std::string delimiter = "|";
};

// A value that does not fit is cut and ends in '+'.
inline void append_bar_cell(int width, std::string_view value, std::string& out) {
  if (width == 0) return;
  const auto size = static_cast<std::size_t>(std::abs(width));
  std::string cut;
  if (value.size() > size) {
    cut = std::string(value.substr(0, size - 1)) + '+';
    value = cut;
  }
  append_cell(out, value, {.width = size, .right = width > 0});
}

template <class Field, class Text>
void append_bar_row(std::span<const BarColumn<Field>> columns, const BarStyle& style, Text text,
                    std::string& out) {
  const bool coloured = uses_colours();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (style.form == BarForm::table) {
      const std::size_t begin = out.size();
      append_bar_cell(columns[i].width, text(columns[i]), out);
      if (coloured && shows_states(columns[i].field->name))
        paint(out, begin, colour_of_state(out.substr(begin)));
      out += ' ';
      continue;
    }
    out += text(columns[i]);
    if (style.form == BarForm::bars_ending || i + 1 < columns.size()) out += style.delimiter;
  }
  out += '\n';
}

template <class Field>
void append_bar_header(std::span<const BarColumn<Field>> columns, const BarStyle& style,
                       std::string& out) {
  using Column = BarColumn<Field>;
  const bool plain = style.form == BarForm::table;
  auto name = [&](const Column& column) {  // headers are just cut
    const auto width = static_cast<std::size_t>(std::abs(column.width));
    return std::string_view(column.field->name).substr(0, plain ? width : std::string_view::npos);
  };
  append_bar_row<Field>(columns, style, name, out);
  if (!plain) return;
  for (const Column& column : columns)
    out.append(static_cast<std::size_t>(std::abs(column.width)), '-') += ' ';
  out += '\n';
}

template <class Field, class Line>
void append_bar_line(std::span<const BarColumn<Field>> columns, const BarStyle& style,
                     const Line& line, std::string& out) {
  std::string value;
  auto text = [&](const BarColumn<Field>& column) -> std::string_view {
    value.clear();
    column.field->append(line, value);
    return value;
  };
  append_bar_row<Field>(columns, style, text, out);
}

// The word "all" stands for `all`, if that is given.
template <class Field, class Find>
std::expected<std::vector<BarColumn<Field>>, Refusal> read_bar_columns(
    std::string_view program, std::string_view text, Find find, std::span<const Field> all = {}) {
  std::vector<BarColumn<Field>> columns;
  for (const std::string& part : split_list(text)) {
    auto percent = part.find('%');
    std::string name = part.substr(0, percent);
    if (!all.empty() && iequals(name, "all")) {
      for (const Field& field : all) columns.push_back({&field, field.width});
      continue;
    }
    const Field* field = find(name);
    if (!field)
      return std::unexpected(
          Refusal{error_lines(program, fmt::format("Invalid field requested: \"{}\"", name))});
    BarColumn<Field> column{field, field->width};
    if (percent != part.npos) column.width = std::atoi(part.c_str() + percent + 1);
    column.width = std::clamp(column.width, -100'000, 100'000);
    columns.push_back(column);
  }
  return columns;
}

// --helpformat: four per line.
template <class Field>
std::string bar_field_list(std::span<const Field> fields, std::size_t width) {
  constexpr std::size_t kPerLine = 4;
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += i % kPerLine == 0 ? '\n' : ' ';
    append_cell(out, fields[i].name, {.width = width, .right = false, .whole = true});
  }
  return out + "\n";
}

}  // namespace muster::cli
