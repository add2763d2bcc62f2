// One table row per field of a record, for every surface: its key in --json, its names for -o and
// -O, its header, its label in `scontrol show`, and the getter of its value. Commands differ in
// their tables, not in code. A surface whose name is empty does not show the field.
#pragma once

#include <algorithm>
#include <cstdint>
#include <expected>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/tables/colour.h"
#include "cli/tables/field_value.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;

template <class Record>
using Getter = void (*)(const Record& record, FieldValue& value);

template <class Record>
struct Keyed {
  std::string_view key;          // "time.elapsed" is in an object
  Getter<Record> get = nullptr;  // if --json shows another value
  // For a value that is not plain; false if this record does not have the key.
  bool (*write)(const Record& record, Json& out) = nullptr;
};

struct Listed {
  char letter = 0;        // of -o; 0 = none
  std::string_view name;  // of -O, any case; empty = none
  std::string_view header;
  // Printed if there is no value; none: the default, see FieldValue::shown.
  const char* unset = nullptr;
};

// For `unset`: the field is left out if it has no value.
inline constexpr char kOmit[] = "";

template <class Record>
struct Shown {
  std::string_view label;
  const char* unset = nullptr;
  Getter<Record> get = nullptr;  // if scontrol shows another value
};

// What listings need in addition.
template <class Record>
struct ListedHow {
  std::int64_t (*key)(const Record& record) = nullptr;  // none: sorts by its value
  bool whole = false;                                   // never cut to the width
  bool whole_header = false;
  // For a value that shortens itself to the width.
  void (*append_within)(const Record& record, std::size_t width, std::string& out) = nullptr;
  typename Record::Mark mark = {};  // for the command's own use
};

// A Record has `Form form() const`, the format of values in lists.
template <class Record>
struct Field {
  Keyed<Record> json;
  Listed listed;
  Shown<Record> shown;
  Getter<Record> get = nullptr;
  ListedHow<Record> how = {};
};

// One item of a format.
template <class Record>
struct Cell {
  const Field<Record>* field = nullptr;  // none: only the suffix is printed
  Layout layout;
  std::string suffix;
};

template <class Record>
struct Format {
  std::string prefix;
  std::vector<Cell<Record>> cells;
  std::vector<std::string> unknown;  // unknown names, for error messages
};

template <class Record>
const Field<Record>* find_letter(std::span<const Field<Record>> table, char letter) {
  for (const Field<Record>& field : table)
    if (letter != 0 && field.listed.letter == letter) return &field;
  return nullptr;
}
template <class Record>
const Field<Record>* find_name(std::span<const Field<Record>> table, std::string_view name) {
  for (const Field<Record>& field : table)
    if (!field.listed.name.empty() && iequals(field.listed.name, name)) return &field;
  return nullptr;
}
template <class Record>
const Field<Record>* find_label(std::span<const Field<Record>> table, std::string_view label) {
  for (const Field<Record>& field : table)
    if (!label.empty() && field.shown.label == label) return &field;
  return nullptr;
}

// %all: every field with a letter, a to z before A to Z, separated by bars.
template <class Record>
void add_all_fields(std::span<const Field<Record>> table, std::string_view suffix,
                    Format<Record>& format) {
  for (auto [first, last] : {std::pair{'a', 'z'}, std::pair{'A', 'Z'}})
    for (char letter = first; letter <= last; ++letter)
      if (const Field<Record>* field = find_letter(table, letter))
        format.cells.push_back({field, {}, "|"});
  if (!format.cells.empty()) format.cells.back().suffix = suffix;
}

// "%.18i %.9P": an unknown letter is printed as it was written.
template <class Record>
Format<Record> letter_format(std::span<const Field<Record>> table, std::string_view text) {
  FormatText scanned = scan_letters(text);
  Format<Record> format{.prefix = scanned.prefix, .cells = {}, .unknown = {}};
  for (FormatItem& item : scanned.items) {
    if (item.key == "all") {
      add_all_fields(table, item.suffix, format);
      continue;
    }
    const Field<Record>* field = item.key.empty() ? nullptr : find_letter(table, item.key[0]);
    if (!field) {
      format.unknown.push_back(item.key);
      item.suffix = item.as_written + item.suffix;
    }
    format.cells.push_back({field, item.layout, std::move(item.suffix)});
  }
  return format;
}

// "JobID:10,Name:.6xx": of an unknown name only the suffix is printed.
template <class Record>
Format<Record> name_format(std::span<const Field<Record>> table, std::string_view text) {
  Format<Record> format;
  for (FormatItem& item : scan_names(text)) {
    if (iequals(item.key, "all")) {
      add_all_fields(table, item.suffix, format);
      continue;
    }
    const Field<Record>* field = find_name(table, item.key);
    if (!field) format.unknown.push_back(item.key);
    format.cells.push_back({field, item.layout, std::move(item.suffix)});
  }
  return format;
}

template <class Record>
void append_header(const Format<Record>& format, std::string& out) {
  out += format.prefix;
  for (const Cell<Record>& cell : format.cells) {
    if (cell.field)
      append_cell(out, cell.field->listed.header,
                  {cell.layout.width, cell.layout.right, cell.field->how.whole_header});
    out += cell.suffix;
  }
  out += '\n';
}

// A field's value as lists print it, before cutting. Valid until `scratch` changes.
template <class Record>
std::string_view listed_text(const Field<Record>& field, const Record& record,
                             FieldValue& scratch) {
  scratch.reset();
  field.get(record, scratch);
  if (scratch.is_plain_text()) return scratch.plain_text();  // the usual case
  return scratch.shown(record.form(), field.listed.unset);
}

template <class Record>
void append_record(const Format<Record>& format, const Record& record, FieldValue& scratch,
                   std::string& out) {
  const bool coloured = uses_colours();
  out += format.prefix;
  for (const Cell<Record>& cell : format.cells) {
    const std::size_t begin = out.size();
    if (cell.field) {
      const Layout layout{cell.layout.width, cell.layout.right, cell.field->how.whole};
      if (cell.field->how.append_within && layout.width > 0) {
        scratch.reset();
        cell.field->how.append_within(record, layout.width, scratch.text());
        append_cell(out, scratch.plain_text(), layout);
      } else {
        append_cell(out, listed_text(*cell.field, record, scratch), layout);
      }
    }
    if (coloured && cell.field && shows_states(cell.field->listed.header))
      paint(out, begin, colour_of_state(out.substr(begin)));
    out += cell.suffix;
  }
  out += '\n';
}

template <class Record>
void append_records(const Format<Record>& format, const std::vector<Record>& records,
                    std::string& out) {
  FieldValue scratch;
  out.reserve(out.size() + records.size() * 100);
  for (const Record& record : records) append_record(format, record, scratch, out);
}

template <class Record>
struct SortKey {
  const Field<Record>* field = nullptr;
  bool descending = false;
};

// "P,t,-p", "Pt-p"; if a letter names no field, the error is that letter.
template <class Record>
std::expected<std::vector<SortKey<Record>>, char> sort_keys(std::span<const Field<Record>> table,
                                                            std::string_view text) {
  std::vector<SortKey<Record>> keys;
  for (const SortItem& item : scan_sort(text)) {
    const Field<Record>* field = find_letter(table, item.letter);
    if (!field) return std::unexpected(item.letter);
    keys.push_back({field, item.descending});
  }
  return keys;
}

// The sort keys of all records for one field; for texts, their ranks.
template <class Record>
std::vector<std::int64_t> keys_of(const std::vector<Record>& records, const Field<Record>& field) {
  std::vector<std::int64_t> keys;
  keys.reserve(records.size());
  if (field.how.key) {
    for (const Record& record : records) keys.push_back(field.how.key(record));
    return keys;
  }
  FieldValue value;
  bool any_text = false;
  for (const Record& record : records) {
    value.reset();
    field.get(record, value);
    any_text = value.sorts_as_text();
    if (any_text) break;
    keys.push_back(value.key());
  }
  if (!any_text) return keys;
  TextRanks ranks;
  ranks.expect(records.size());
  for (const Record& record : records) ranks.add(listed_text(field, record, value));
  return ranks.take();
}

// Keys are computed once per record, not at each comparison. Records are often in order already.
template <class Record>
void sort_records(std::vector<Record>& records, const std::vector<SortKey<Record>>& keys) {
  std::vector<std::vector<std::int64_t>> values;
  for (const SortKey<Record>& key : keys) values.push_back(keys_of(records, *key.field));
  auto before = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      std::int64_t x = values[k][a], y = values[k][b];
      if (x == y) continue;
      if (x == kUnsetKey || y == kUnsetKey) return y == kUnsetKey;
      return keys[k].descending ? x > y : x < y;
    }
    return false;
  };
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::is_sorted(order, before)) return;
  std::ranges::stable_sort(order, before);
  std::vector<Record> sorted;
  sorted.reserve(records.size());
  for (std::size_t i : order) sorted.push_back(std::move(records[i]));
  records = std::move(sorted);
}

}  // namespace muster::cli
