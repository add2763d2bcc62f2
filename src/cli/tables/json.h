// What the --json outputs of the listing commands have in common. Only the *_json.cc files include
// this: the library is large, and the commands start without it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/time.h"

namespace muster::cli {

using Json = nlohmann::ordered_json;

// {"meta": ..., "errors": [], KEY: records}, indented, newline at the end.
std::string json_document(std::string_view plugin_type, std::string_view plugin_name,
                          std::string_view key, Json records);

inline Json json_text(std::string_view text) { return std::string(text); }
inline Json json_time(Time t) { return is_set(t) ? unix_seconds(t) : 0; }
template <class T>
Json json_or_null(const T& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace muster::cli
