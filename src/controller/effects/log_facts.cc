// See log_facts.h.
#include "controller/effects/log_facts.h"

#include "base/text/hostlist.h"

namespace muster::controller {

std::string shortened(std::string_view value) {
  std::string text(value.substr(0, kLongestFact));
  if (text.size() < value.size()) text += "...";
  return text;
}

LogFacts& LogFacts::add(std::string_view name, std::string_view value) & {
  if (!value.empty()) entry_.facts.push_back({.name = name, .value = shortened(value)});
  return *this;
}

LogFacts& LogFacts::add(std::string_view name, std::uint64_t value) & {
  entry_.facts.push_back({.name = name, .value = std::to_string(value), .is_number = true});
  return *this;
}

LogFacts& LogFacts::add_job(const Job& job) & {
  add("JobId", job.id.value);
  if (job.is_array_record()) {
    add("ArrayTasks", job.waiting_tasks.text());
  } else if (job.task_id != kNoTask) {
    add("ArrayJobId", job.array_id.value);
    add("ArrayTaskId", job.task_id);
  }
  if (job.is_het()) add("HetJobId", job.het_id.value);
  return *this;
}

LogFacts& LogFacts::add_nodes(const Cluster& cluster, const std::vector<NodeId>& nodes) & {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (NodeId id : nodes)
    if (const Node* node = cluster.nodes.find(id)) names.push_back(node->config.name.str());
  return add("NodeList", compress_hostlist(names));
}

}  // namespace muster::controller
