// Which fields of a record `scontrol show` prints on which line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text/strings.h"
#include "cli/records/record_text.h"
#include "cli/tables/fields.h"

namespace muster::cli {

// The labels of a line: "Priority Nice Account QOS". A blank at the end is printed. A line without
// any field is left out.
template <class Record>
struct ShownLine {
  std::string_view labels;
  bool details_only = false;  // only with -d
  // For lines that are not a list of fields.
  void (*add)(const Record& record, RecordLines& lines) = nullptr;
};

template <class Record>
class RecordLayout {
 public:
  RecordLayout(std::span<const Field<Record>> table, std::span<const ShownLine<Record>> lines) {
    for (const ShownLine<Record>& line : lines) {
      Line& own = lines_.emplace_back(Line{&line, {}});
      for (std::string_view label : split_words(line.labels)) {
        const Field<Record>* field = find_label(table, label);
        CHECK(field, "a layout names a field that does not exist");
        own.fields.push_back(field);
      }
    }
  }

  void append(const Record& record, const ShowStyle& style, RecordLines& lines) const {
    FieldValue value;
    std::string text;
    for (const Line& line : lines_) {
      if (line.from->details_only && !style.details) continue;
      if (line.from->add) {
        line.from->add(record, lines);
        continue;
      }
      text.clear();
      for (const Field<Record>* field : line.fields) append_item(*field, record, value, text);
      if (text.empty()) continue;
      if (line.from->labels.ends_with(' ')) text += ' ';
      lines.add(text);
    }
  }

 private:
  struct Line {
    const ShownLine<Record>* from;
    std::vector<const Field<Record>*> fields;
  };

  static void append_item(const Field<Record>& field, const Record& record, FieldValue& value,
                          std::string& text) {
    value.reset();
    (field.shown.get ? field.shown.get : field.get)(record, value);
    if (field.shown.unset == kOmit && value.is_unset()) return;
    if (!text.empty()) text += ' ';
    text += field.shown.label;
    text += '=';
    text += value.shown({.no_time = "Unknown"}, field.shown.unset);
  }

  std::vector<Line> lines_;
};

}  // namespace muster::cli
