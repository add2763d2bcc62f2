// Reads slurm.conf as a whole.
#include "config/slurm_conf.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/fill.h"
#include "config/keys/keys.h"
#include "config/slurm_conf_checks.h"

namespace muster::config {

namespace {

// Reads line by line; what depends on the whole file is done in finish().
class Loader {
 public:
  explicit Loader(std::string path) { conf_.path = std::move(path); }

  Result<void> line(const Line& line) {
    const std::string& first = line.settings[0].key;
    if (iequals(first, "NodeName")) return nodes_.add_nodes(line);
    if (iequals(first, "DownNodes")) return nodes_.add_down_nodes(line);
    if (iequals(first, "NodeSet")) return nodes_.add_node_set(line);
    if (iequals(first, "PartitionName")) return partitions_.add(line);
    if (iequals(first, "QoS")) return qos(line);
    if (iequals(first, "FrontendName")) return ignore("FrontendName"), Result<void>{};
    for (const Setting& setting : line.settings)
      if (auto done = this->setting(line.at, setting); !done) return done;
    return {};
  }

  Result<SlurmConf> finish();

 private:
  void ignore(std::string_view key) {
    if (std::ranges::find(conf_.ignored_keys, key) == conf_.ignored_keys.end())
      conf_.ignored_keys.emplace_back(key);
  }

  Result<void> qos(const Line& line) {
    auto parsed = parse_qos_line(line);
    if (!parsed) return std::unexpected(parsed.error());
    for (const Qos& other : conf_.qos)
      if (other.name == parsed->name)
        return invalid(line.at,
                       fmt::format("QoS={}: the QoS is already defined", parsed->name.view()));
    std::vector<std::string> ignored;
    for (const std::string& word : ignored) ignore(word);
    conf_.qos.push_back(std::move(*parsed));
    conf_.qos_places.push_back(line.at);
    return {};
  }

  Result<void> setting(const Location& at, const Setting& setting) {
    const Key* key = find_key(setting.key);
    if (!key) return invalid(at, fmt::format("{}: no such key", setting.key));
    if (auto ok = check_value(*key, at, setting); !ok) return ok;
    if (key->type.kind == Kind::hosts)
      conf_.controllers.push_back(*parse_controller_host(setting.value));
    std::vector<std::string> ignored;
    if (auto done = check_words(*key, at, setting, ignored); !done) return done;
    for (const std::string& word : ignored) ignore(word);
    conf_.places[std::string(key->name)] = at;
    conf_.values[std::string(key->name)] = setting.value;
    return {};
  }

  SlurmConf conf_;
  NodeLines nodes_;
  PartitionLines partitions_;
};

Result<SlurmConf> Loader::finish() {
  fill<ControllerSettings>(conf_, [&](const Key& key) { return conf_.view(key); });
  if (conf_.controllers.empty()) conf_.controllers = conf_.old_controllers.hosts();
  auto missing = [&](std::string_view what) {
    return fail(ErrorCode::config_invalid, fmt::format("{}: {} is missing", conf_.path, what));
  };
  if (conf_.cluster_name.empty()) return missing("ClusterName");
  if (conf_.controllers.empty()) return missing("SlurmctldHost");
  if (auto done = nodes_.finish(); !done) return std::unexpected(done.error());
  if (auto done = partitions_.finish(nodes_.nodes, nodes_.sets); !done)
    return std::unexpected(done.error());
  for (const auto* list : {&nodes_.ignored, &partitions_.ignored})
    for (const std::string& key : *list) ignore(key);
  conf_.nodes = std::move(nodes_.nodes);
  conf_.node_sets = std::move(nodes_.sets);
  conf_.warnings = std::move(nodes_.warnings);
  conf_.partitions = std::move(partitions_.partitions);
  if (auto done = check_together(conf_); !done) return std::unexpected(done.error());
  return std::move(conf_);
}

}  // namespace

std::string_view SlurmConf::view(const Key& key) const {
  auto given = values.find(key.name);
  return given == values.end() ? key.fallback : std::string_view(given->second);
}

std::string SlurmConf::value(std::string_view key) const {
  const Key* known = find_key(key);
  return known ? std::string(view(*known)) : std::string();
}

Location SlurmConf::place_of(std::string_view key) const {
  auto found = places.find(key);
  return found == places.end() ? Location{path, 0} : found->second;
}

std::optional<std::string> SlurmConf::option(std::string_view key, std::string_view name) const {
  const Key* known = find_key(key);
  if (!known) return std::nullopt;
  auto text = word_of(view(*known), name);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

Result<SlurmConf> load_slurm_conf(const FileReader& read, const std::string& path) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  Loader loader(path);
  for (const Line& line : *lines)
    if (auto done = loader.line(line); !done) return std::unexpected(done.error());
  return loader.finish();
}

NodeSettings node_settings(const SlurmConf& conf) {
  NodeSettings settings;
  fill(settings, [&](const Key& key) { return conf.view(key); });
  return settings;
}

std::string expand_node_path(std::string_view path, std::string_view node_name,
                             std::string_view hostname) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char code = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
    if (code == 'n')
      out += node_name;
    else if (code == 'h')
      out += hostname.substr(0, hostname.find('.'));
    else if (code == '%')
      out += '%';
    else {
      out += path[i];
      continue;
    }
    ++i;
  }
  return out;
}

}  // namespace muster::config
