// Reads topology.conf, and sorts its switches with leaves first.
#include "config/files/topology_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::config {

namespace {

struct SwitchLine {
  Location at;
  Switch value;
  enum { unseen, open, done } state = unseen;
};

Result<std::vector<Text>> names_in(const Line& line, const Setting& setting) {
  auto names = expand_hostlist(setting.value);
  if (!names) return bad_value(line.at, setting, "names such as s[0-3]");
  return std::vector<Text>(names->begin(), names->end());
}

Result<void> read_setting(const Line& line, const Setting& setting, Switch& value) {
  auto is = [&](std::string_view key) { return iequals(setting.key, key); };
  if (is("SwitchName")) {
    value.name = setting.value;
  } else if (is("Nodes") || is("Switches")) {
    auto names = names_in(line, setting);
    if (!names) return std::unexpected(names.error());
    (is("Nodes") ? value.nodes : value.switches) = std::move(*names);
    if (is("Switches")) value.switches_text = setting.value;
  } else if (is("LinkSpeed")) {
    auto speed = parse_number<std::uint32_t>(setting.value);
    if (!speed) return bad_value(line.at, setting, "a number");
    value.link_speed = *speed;
  } else {
    return invalid(line.at, fmt::format("{}: not a key of topology.conf", setting.key));
  }
  return {};
}

// Adds the nodes of lower switches to the switches above them.
class Tree {
 public:
  explicit Tree(std::vector<SwitchLine> lines) : lines_(std::move(lines)) {}

  Result<std::vector<Switch>> build() {
    for (SwitchLine& line : lines_)
      if (!by_name_.emplace(line.value.name, &line).second)
        return invalid(line.at,
                       fmt::format("SwitchName={}: defined twice", line.value.name.view()));
    std::vector<Switch> switches;
    for (SwitchLine& line : lines_) {
      if (auto ok = complete(line); !ok) return std::unexpected(ok.error());
      switches.push_back(line.value);
    }
    std::ranges::stable_sort(switches, {}, &Switch::level);
    return switches;
  }

 private:
  Result<void> complete(SwitchLine& line) {
    Switch& own = line.value;
    if (line.state == SwitchLine::done) return {};
    if (line.state == SwitchLine::open)
      return invalid(line.at, fmt::format("SwitchName={} is below itself", own.name.view()));
    line.state = SwitchLine::open;
    for (const Text& name : own.switches) {
      auto below = by_name_.find(name);
      if (below == by_name_.end())
        return invalid(line.at, fmt::format("Switches={}: no such switch", name.view()));
      if (auto ok = complete(*below->second); !ok) return ok;
      const Switch& child = below->second->value;
      own.level = std::max(own.level, child.level + 1);
      own.nodes.insert(own.nodes.end(), child.nodes.begin(), child.nodes.end());
    }
    std::vector<std::string> names;
    names.reserve(own.nodes.size());
    for (const Text& node : own.nodes) names.push_back(node.str());
    own.nodes_text = compress_hostlist(names);
    line.state = SwitchLine::done;
    return {};
  }

  std::vector<SwitchLine> lines_;
  std::map<Text, SwitchLine*> by_name_;
};

}  // namespace

Result<std::vector<Switch>> load_topology_conf(const FileReader& read, const std::string& path) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  std::vector<SwitchLine> switches;
  for (const Line& line : *lines) {
    SwitchLine entry{.at = line.at, .value = {}};
    for (const Setting& setting : line.settings)
      if (auto ok = read_setting(line, setting, entry.value); !ok)
        return std::unexpected(ok.error());
    if (entry.value.name.empty()) return invalid(line.at, "SwitchName= is missing");
    if (entry.value.nodes.empty() == entry.value.switches.empty())
      return invalid(line.at, fmt::format("SwitchName={} needs either Nodes or Switches",
                                          entry.value.name.view()));
    switches.push_back(std::move(entry));
  }
  return Tree(std::move(switches)).build();
}

}  // namespace muster::config
