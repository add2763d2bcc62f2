// What the --json outputs of the commands share. Only sources that write JSON include this, because
// the library is large.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text/strings.h"
#include "base/time.h"
#include "cli/tables/fields.h"

namespace muster::cli {

// {"meta": ..., "errors": [], KEY: records}, indented, newline at the end.
std::string json_document(std::string_view plugin_type, std::string_view plugin_name,
                          std::string_view key, Json records);

inline Json json_text(std::string_view text) { return std::string(text); }
inline Json json_time(Time t) { return is_set(t) ? unix_seconds(t) : 0; }
template <class T>
Json json_or_null(const T& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const FieldValue& value);

// The object of a record: its fields with a key, in the order of the table. `keyed` selects the key
// if a table has several kinds of records.
template <class Record, class KeyOf>
void add_json(std::span<const Field<Record>> table, const Record& record, KeyOf&& keyed,
              Json& out) {
  FieldValue value;
  for (const Field<Record>& field : table) {
    const Keyed<Record>& as = keyed(field);
    if (as.key.empty()) continue;
    Json own;
    if (as.write) {
      if (!as.write(record, own)) continue;
    } else {
      value.reset();
      (as.get ? as.get : field.get)(record, value);
      own = json_of(value);
    }
    Json* at = &out;
    for (std::string_view key : split(as.key, '.')) at = &(*at)[std::string(key)];
    *at = std::move(own);
  }
}
template <class Record>
Json json_of(std::span<const Field<Record>> table, const Record& record) {
  Json out = Json::object();
  auto keyed = [](const Field<Record>& field) -> const Keyed<Record>& { return field.json; };
  add_json(table, record, keyed, out);
  return out;
}

}  // namespace muster::cli
