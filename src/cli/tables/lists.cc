// Splits lists of jobs, writes lists of gres, and checks the clusters of -M.
#include "cli/tables/lists.h"

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

std::vector<std::string> split_job_list(std::string_view text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0)
      items.emplace_back();
    else
      items.back() += c;
  }
  std::erase_if(items, [](const std::string& item) { return item.empty(); });
  return items;
}

std::string tres_list(std::string_view gres) {
  std::string out;
  for (const std::string& part : split_list(gres)) {
    if (!out.empty()) out += ',';
    if (!part.starts_with("gres")) out += "gres:";
    out += part;
  }
  return out;
}

std::string of_gpus(std::string_view value) {
  return value.empty() ? std::string() : fmt::format("gpu:{}", value);
}

Outcome check_clusters(std::string_view program, std::string_view names, std::string_view own) {
  for (const std::string& name : split_list(names))
    if (name != own && name != "all")
      return std::unexpected(Refusal{error_lines(
          program,
          fmt::format(
              "No cluster '{0}' known by database.\n'{0}' can't be reached now, or it is an "
              "invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available "
              "clusters.",
              name))});
  return {};
}

}  // namespace muster::cli
