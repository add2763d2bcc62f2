// Reads NodeName, DownNodes and NodeSet lines.
#include "config/lines/node_line.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "config/lines/line_reader.h"
#include "model/binding/cpu_bind.h"

namespace muster::config {

namespace {

struct NodeKey {
  std::string_view name;
  std::string_view same_as = {};  // another spelling of that key
  bool acted_on = true;
};
constexpr std::array<NodeKey, 31> kNodeKeys{{
    {"NodeName"},
    {"NodeHostname"},
    {"NodeAddr"},
    {"BcastAddr", "", false},
    {"Boards"},
    {"CoreSpecCount"},
    {"CoresPerSocket"},
    {"CpuBind"},
    {"CPUs"},
    {"CpuSpecList"},
    {"Feature"},
    {"Features", "Feature"},
    {"Gres"},
    {"MemSpecLimit"},
    {"Port"},
    {"Procs", "CPUs"},
    {"RealMemory"},
    {"Reason"},
    {"Sockets"},
    {"SocketsPerBoard"},
    {"State"},
    {"ThreadsPerCore"},
    {"TmpDisk"},
    {"Weight"},
    {"Topology", "", false},
    {"Parameters", "", false},
    {"RestrictedCoresPerGPU", "", false},
    {"InstanceId", "", false},
    {"InstanceType", "", false},
    {"CertToken", "", false},
    {"GpuSpec", "", false},
}};

constexpr std::array<std::string_view, 10> kStates{"UNKNOWN",  "IDLE",    "DOWN",   "DRAIN",
                                                   "FAIL",     "FAILING", "FUTURE", "CLOUD",
                                                   "EXTERNAL", "DYNAMIC"};

const NodeKey* find_node_key(std::string_view name) {
  auto found =
      std::ranges::find_if(kNodeKeys, [&](const NodeKey& key) { return iequals(key.name, name); });
  return found == kNodeKeys.end() ? nullptr : &*found;
}

// The line's values by the main spelling of their keys.
Result<Values> node_values(const Line& line, std::vector<std::string>& ignored) {
  Values values;
  for (const Setting& setting : line.settings) {
    const NodeKey* key = find_node_key(setting.key);
    if (!key) return invalid(line.at, fmt::format("{}: not a key of a NodeName line", setting.key));
    if (!key->acted_on) ignored.push_back(fmt::format("NodeName {}", key->name));
    values[std::string(key->same_as.empty() ? key->name : key->same_as)] = setting.value;
  }
  return values;
}

class NodeReader : public LineReader {
 public:
  using LineReader::LineReader;

  std::uint32_t number(std::string_view key, std::uint32_t fallback, std::uint32_t least = 0) {
    if (!has(key)) return fallback;
    auto value = parse_number<std::uint32_t>(text(key));
    if (value && *value >= least) return *value;
    reject(key, least > 0 ? "a number from 1 on" : "a number");
    return fallback;
  }
  std::uint64_t memory(std::string_view key, std::uint64_t fallback) {
    if (!has(key)) return fallback;
    return parsed(key, parse_mib, "a number of megabytes").value_or(fallback);
  }
};

// CPUs, sockets, cores and threads follow from each other; CPUs= may count sockets, cores or
// threads.
void derive_topology(NodeReader& reader, NodeConfig& node, const Location& at,
                     std::vector<std::string>& warnings) {
  node.boards = reader.number("Boards", 1, 1);
  node.cores_per_socket = reader.number("CoresPerSocket", 1, 1);
  node.threads_per_core = reader.number("ThreadsPerCore", 1, 1);
  node.cpus = reader.number("CPUs", 0, 1);
  std::uint32_t threads_per_socket = node.cores_per_socket * node.threads_per_core;
  if (reader.has("SocketsPerBoard"))
    node.sockets = node.boards * reader.number("SocketsPerBoard", 1, 1);
  else if (reader.has("Sockets"))
    node.sockets = reader.number("Sockets", 1, 1);
  else
    node.sockets = std::max(node.cpus / threads_per_socket, node.boards);
  std::uint32_t cores = node.sockets * node.cores_per_socket;
  std::uint32_t threads = node.sockets * threads_per_socket;
  if (node.cpus == 0) {
    node.cpus = threads;
  } else if (node.cpus != node.sockets && node.cpus != cores && node.cpus != threads) {
    warnings.push_back(
        fmt::format("{}: NodeName={}: CPUs={} is neither the number of sockets, of cores nor of "
                    "threads; using {}",
                    at.text(), node.name.view(), node.cpus, threads));
    node.cpus = threads;
  }
}

bool is_node_state(std::string_view text) {
  return std::ranges::all_of(split(text, '+'), [](std::string_view part) {
    return std::ranges::any_of(kStates,
                               [&](std::string_view state) { return iequals(state, part); });
  });
}

Result<NodeConfig> node_of(const Line& line, const Values& values,
                           std::vector<std::string>& warnings) {
  NodeReader reader(line.at, values);
  NodeConfig node;
  node.name = reader.text("NodeName");
  derive_topology(reader, node, line.at, warnings);
  node.memory_mib = reader.memory("RealMemory", 1);
  node.tmp_disk_mib = reader.memory("TmpDisk", 0);
  node.memory_spec_limit_mib = reader.memory("MemSpecLimit", 0);
  node.core_spec_count = reader.number("CoreSpecCount", 0);
  node.cpu_spec_list = reader.text("CpuSpecList");
  node.weight = reader.number("Weight", 1);
  const std::string features = reader.text("Feature");
  for (std::string_view feature : split(features, ','))
    if (!trim(feature).empty()) node.features.push_back(trim(feature));
  node.gres_text = replace_all(reader.text("Gres"), ":no_consume", "");
  if (auto gres = parse_gres(node.gres_text); !gres) reader.reject("Gres", "name[:type][:count]");
  node.state = upper(reader.text("State", "UNKNOWN"));
  if (!is_node_state(node.state))
    reader.reject("State", join({kStates.begin(), kStates.end()}, ", "));
  node.reason = reader.text("Reason");
  if (auto bind = parse_default_cpu_bind(reader.text("CpuBind")))
    node.cpu_bind = *bind;
  else
    reader.reject("CpuBind", "none, sockets, ldoms, cores, threads or off");
  if (auto done = reader.done(); !done) return std::unexpected(done.error());
  return node;
}

// One value per node: the line gives one for all nodes, or as many as there are nodes.
Result<std::vector<std::string>> spread(const Line& line, const Setting& setting,
                                        const std::vector<std::string>& names) {
  if (setting.value.empty()) return names;
  auto expanded = expand_hostlist(setting.value);
  if (!expanded) return wrong_value(line.at, setting, expanded.error().text());
  if (expanded->size() == 1 && names.size() > 1) expanded->assign(names.size(), expanded->front());
  if (expanded->size() != names.size())
    return bad_value(line.at, setting,
                     fmt::format("one name or as many as there are nodes ({})", names.size()));
  return *expanded;
}

Result<std::vector<std::uint32_t>> spread_ports(const Line& line, const std::string& text,
                                                std::size_t count) {
  if (text.empty()) return std::vector<std::uint32_t>(count, 0);
  Setting setting{"Port", text};
  auto names = expand_hostlist(text.starts_with('[') ? text : fmt::format("[{}]", text));
  if (!names) return bad_value(line.at, setting, "ports such as 7001-7004");
  std::vector<std::uint32_t> ports;
  for (const std::string& name : *names) {
    auto port = parse_number<std::uint32_t>(name);
    if (!port || *port == 0 || *port > 65535)
      return bad_value(line.at, setting, "ports up to 65535");
    ports.push_back(*port);
  }
  if (ports.size() == 1) ports.assign(count, ports.front());
  if (ports.size() != count)
    return bad_value(line.at, setting,
                     fmt::format("one port or as many as there are nodes ({})", count));
  return ports;
}

Result<std::vector<std::string>> expand(const Line& line, const Setting& setting) {
  auto names = expand_hostlist(setting.value);
  if (!names) return wrong_value(line.at, setting, names.error().text());
  if (names->empty()) return bad_value(line.at, setting, "the name of a node");
  return *names;
}

}  // namespace

Result<void> NodeLines::add_nodes(const Line& line) {
  auto given = node_values(line, ignored);
  if (!given) return std::unexpected(given.error());
  if (iequals(given->at("NodeName"), "DEFAULT")) {
    given->erase("NodeName");
    for (auto& [key, value] : *given) defaults_[key] = value;
    return {};
  }
  Values values = *given;
  values.insert(defaults_.begin(), defaults_.end());
  auto value = [&](const char* key) {
    auto found = values.find(key);
    return Setting{key, found == values.end() ? "" : found->second};
  };
  auto names = expand(line, value("NodeName"));
  if (!names) return std::unexpected(names.error());
  auto hostnames = spread(line, value("NodeHostname"), *names);
  if (!hostnames) return std::unexpected(hostnames.error());
  auto addresses = spread(line, value("NodeAddr"), *hostnames);
  if (!addresses) return std::unexpected(addresses.error());
  auto ports = spread_ports(line, value("Port").value, names->size());
  if (!ports) return std::unexpected(ports.error());
  auto node = node_of(line, values, warnings);
  if (!node) return std::unexpected(node.error());
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    if (auto [other, is_new] = index_.emplace(name, nodes.size()); !is_new)
      return invalid(line.at, fmt::format("NodeName={}: the node is already defined at {}", name,
                                          nodes[other->second].at.text()));
    node->name = name;
    node->hostname = (*hostnames)[i];
    node->address = (*addresses)[i];
    node->port = (*ports)[i];
    nodes.push_back({line.at, *node});
  }
  return {};
}

Result<void> NodeLines::add_down_nodes(const Line& line) {
  DownNodes down{line.at, {}, "DOWN", "Set in slurm.conf"};
  for (const Setting& setting : line.settings) {
    if (iequals(setting.key, "DownNodes")) {
      auto names = expand(line, setting);
      if (!names) return std::unexpected(names.error());
      down.nodes = std::move(*names);
    } else if (iequals(setting.key, "State")) {
      down.state = upper(setting.value);
      if (!is_node_state(down.state))
        return bad_value(line.at, setting, "DOWN, DRAIN, FAIL or FUTURE");
    } else if (iequals(setting.key, "Reason")) {
      down.reason = setting.value;
    } else {
      return invalid(line.at, fmt::format("{}: not a key of a DownNodes line", setting.key));
    }
  }
  down_.push_back(std::move(down));
  return {};
}

Result<void> NodeLines::add_node_set(const Line& line) {
  NodeSet set{line.at, {}, {}, {}};
  for (const Setting& setting : line.settings) {
    if (iequals(setting.key, "NodeSet")) {
      set.name = setting.value;
    } else if (iequals(setting.key, "Nodes")) {
      auto names = expand(line, setting);
      if (!names) return std::unexpected(names.error());
      set.nodes = std::move(*names);
    } else if (iequals(setting.key, "Feature") || iequals(setting.key, "Features")) {
      set.feature = setting.value;
    } else {
      return invalid(line.at, fmt::format("{}: not a key of a NodeSet line", setting.key));
    }
  }
  if (set.nodes.empty() && set.feature.empty())
    return invalid(line.at, fmt::format("NodeSet={}: expected Nodes= or Feature=", set.name));
  sets.push_back(std::move(set));
  return {};
}

Result<void> NodeLines::finish() {
  for (const DownNodes& down : down_) {
    for (const std::string& name : down.nodes) {
      auto found = index_.find(name);
      if (found == index_.end())
        return invalid(down.at, fmt::format("DownNodes={}: there is no such node", name));
      nodes[found->second].node.state = down.state;
      nodes[found->second].node.reason = down.reason;
    }
  }
  for (const NodeSet& set : sets)
    for (const std::string& name : set.nodes)
      if (!index_.contains(name))
        return invalid(set.at, fmt::format("NodeSet={}: there is no node {}", set.name, name));
  return {};
}

}  // namespace muster::config
