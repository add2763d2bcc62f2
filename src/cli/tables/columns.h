// One table row per column, for every listing command: what -o and -O call it, its header, how its
// text and its sorting key are got out of a record. The commands differ in their tables, not in the
// code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tables/table_format.h"

namespace muster::cli {

// Sorts behind everything else in both directions.
inline constexpr std::int64_t kUnsetKey = std::numeric_limits<std::int64_t>::max();

template <class Row>
struct Column {
  char letter = 0;        // of -o; 0 = none
  std::string_view name;  // of -O, any case; empty = none
  std::string_view header;
  void (*append)(const Row& row, std::string& out) = nullptr;
  std::int64_t (*key)(const Row& row) = nullptr;  // absent: sorts by its text
  bool whole = false;                             // never cut to the width
  // A value that shortens itself to the width in its own way.
  void (*append_within)(const Row& row, std::size_t width, std::string& out) = nullptr;
  bool whole_header = false;
};

template <class Row>
struct Field {
  const Column<Row>* column = nullptr;  // none: only the suffix is printed
  Layout layout;
  std::string suffix;
};

template <class Row>
struct Format {
  std::string prefix;
  std::vector<Field<Row>> fields;
  std::vector<std::string>
      unknown;  // what the table does not know, for the command to complain about
};

template <class Row>
const Column<Row>* find_letter(std::span<const Column<Row>> table, char letter) {
  for (const Column<Row>& column : table)
    if (letter != 0 && column.letter == letter) return &column;
  return nullptr;
}
template <class Row>
const Column<Row>* find_name(std::span<const Column<Row>> table, std::string_view name) {
  for (const Column<Row>& column : table)
    if (!column.name.empty() && iequals(column.name, name)) return &column;
  return nullptr;
}

// %all: every column that has a letter, bars between them.
template <class Row>
void add_all_fields(std::span<const Column<Row>> table, std::string_view suffix,
                    Format<Row>& format) {
  for (const Column<Row>& column : table)
    if (column.letter != 0) format.fields.push_back({&column, {}, "|"});
  if (!format.fields.empty()) format.fields.back().suffix = suffix;
}

// "%.18i %.9P": an unknown letter stays in the output as it was written.
template <class Row>
Format<Row> letter_format(std::span<const Column<Row>> table, std::string_view text) {
  FormatText scanned = scan_letters(text);
  Format<Row> format{.prefix = scanned.prefix, .fields = {}, .unknown = {}};
  for (FormatItem& item : scanned.items) {
    if (item.key == "all") {
      add_all_fields(table, item.suffix, format);
      continue;
    }
    const Column<Row>* column = item.key.empty() ? nullptr : find_letter(table, item.key[0]);
    if (!column) {
      format.unknown.push_back(item.key);
      item.suffix = item.as_written + item.suffix;
    }
    format.fields.push_back({column, item.layout, std::move(item.suffix)});
  }
  return format;
}

// "JobID:10,Name:.6xx": of an unknown name only the suffix is printed.
template <class Row>
Format<Row> name_format(std::span<const Column<Row>> table, std::string_view text) {
  Format<Row> format;
  for (FormatItem& item : scan_names(text)) {
    if (iequals(item.key, "all")) {
      add_all_fields(table, item.suffix, format);
      continue;
    }
    const Column<Row>* column = find_name(table, item.key);
    if (!column) format.unknown.push_back(item.key);
    format.fields.push_back({column, item.layout, std::move(item.suffix)});
  }
  return format;
}

template <class Row>
void append_header(const Format<Row>& format, std::string& out) {
  out += format.prefix;
  for (const Field<Row>& field : format.fields) {
    if (field.column)
      append_cell(out, field.column->header,
                  {field.layout.width, field.layout.right, field.column->whole_header});
    out += field.suffix;
  }
  out += '\n';
}

template <class Row>
void append_field(const Field<Row>& field, const Row& row, std::string& scratch, std::string& out) {
  const Column<Row>& column = *field.column;
  scratch.clear();
  if (column.append_within && field.layout.width > 0)
    column.append_within(row, field.layout.width, scratch);
  else
    column.append(row, scratch);
  append_cell(out, scratch, {field.layout.width, field.layout.right, column.whole});
}

template <class Row>
void append_row(const Format<Row>& format, const Row& row, std::string& scratch, std::string& out) {
  out += format.prefix;
  for (const Field<Row>& field : format.fields) {
    if (field.column) append_field(field, row, scratch, out);
    out += field.suffix;
  }
  out += '\n';
}

template <class Row>
void append_rows(const Format<Row>& format, const std::vector<Row>& rows, std::string& out) {
  std::string scratch;
  out.reserve(out.size() + rows.size() * 100);
  for (const Row& row : rows) append_row(format, row, scratch, out);
}

template <class Row>
struct SortKey {
  const Column<Row>* column = nullptr;
  bool descending = false;
};

// "P,t,-p", "Pt-p"; where it names no column, the letter that does not.
template <class Row>
std::expected<std::vector<SortKey<Row>>, char> sort_keys(std::span<const Column<Row>> table,
                                                         std::string_view text) {
  std::vector<SortKey<Row>> keys;
  for (const SortItem& item : scan_sort(text)) {
    const Column<Row>* column = find_letter(table, item.letter);
    if (!column) return std::unexpected(item.letter);
    keys.push_back({column, item.descending});
  }
  return keys;
}

// The rows' keys of one column: where that is a text, its rank.
template <class Row>
std::vector<std::int64_t> keys_of(const std::vector<Row>& rows, const Column<Row>& column) {
  std::vector<std::int64_t> keys;
  keys.reserve(rows.size());
  if (column.key) {
    for (const Row& row : rows) keys.push_back(column.key(row));
    return keys;
  }
  TextRanks ranks;
  ranks.expect(rows.size());
  std::string scratch;
  for (const Row& row : rows) {
    scratch.clear();
    column.append(row, scratch);
    ranks.add(scratch);
  }
  return ranks.take();
}

// The keys of every row are taken once, not at every comparison; rows often come in order already.
template <class Row>
void sort_rows(std::vector<Row>& rows, const std::vector<SortKey<Row>>& keys) {
  std::vector<std::vector<std::int64_t>> values;
  for (const SortKey<Row>& key : keys) values.push_back(keys_of(rows, *key.column));
  auto before = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      std::int64_t x = values[k][a], y = values[k][b];
      if (x == y) continue;
      if (x == kUnsetKey || y == kUnsetKey) return y == kUnsetKey;
      return keys[k].descending ? x > y : x < y;
    }
    return false;
  };
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::is_sorted(order, before)) return;
  std::ranges::stable_sort(order, before);
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace muster::cli
