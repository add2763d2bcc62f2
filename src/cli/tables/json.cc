// Makes JSON documents of records.
#include "cli/tables/json.h"

#include "base/version.h"

namespace muster::cli {

Json json_of(const FieldValue& value) {
  switch (value.kind()) {
    case FieldValue::Kind::unset:
      return nullptr;
    case FieldValue::Kind::text:
      return json_text(value.plain_text());
    case FieldValue::Kind::list:
      return value.items();
    case FieldValue::Kind::real:
      return value.real();
    case FieldValue::Kind::flag:
      return value.number() != 0;
    case FieldValue::Kind::time:
      return value.has_time() ? json_time(value.time()) : Json(0);
    case FieldValue::Kind::limit:
      return value.is_unlimited() ? Json(nullptr) : Json(value.number());
    case FieldValue::Kind::number:
    case FieldValue::Kind::span:
    case FieldValue::Kind::memory:
    case FieldValue::Kind::exit_status:
      return value.number();
  }
  return nullptr;
}

std::string json_document(std::string_view plugin_type, std::string_view plugin_name,
                          std::string_view key, Json records) {
  Json document;
  document["meta"]["plugin"] = {{"type", plugin_type}, {"name", plugin_name}};
  document["meta"]["Slurm"] = {{"version", {{"major", 22}, {"micro", 8}, {"minor", 5}}},
                               {"release", std::string(kSlurmVersion)}};
  document["errors"] = Json::array();
  document[std::string(key)] = std::move(records);
  // Names of users may not be UTF-8, and a listing must not fail because of that.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster::cli
