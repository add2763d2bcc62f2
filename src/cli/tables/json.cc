#include "cli/tables/json.h"

namespace muster::cli {

std::string json_document(std::string_view plugin_type, std::string_view plugin_name,
                          std::string_view key, Json records) {
  Json document;
  document["meta"]["plugin"] = {{"type", plugin_type}, {"name", plugin_name}};
  document["meta"]["Slurm"] = {{"version", {{"major", 22}, {"micro", 8}, {"minor", 5}}},
                               {"release", "22.05.8"}};
  document["errors"] = Json::array();
  document[std::string(key)] = std::move(records);
  // Names of users need not be UTF-8; a listing must not fail over one.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster::cli
