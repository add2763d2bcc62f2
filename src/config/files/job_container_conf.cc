// Reads job_container.conf.
#include "config/files/job_container_conf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "config/keys/keys.h"

namespace muster::config {

namespace {

bool is_for(const Line& line, const std::string& node_name) {
  const Setting& first = line.settings.front();
  if (!iequals(first.key, "NodeName")) return true;
  auto names = expand_hostlist(first.value);
  return names && std::ranges::find(*names, node_name) != names->end();
}

Result<void> read_setting(const Location& at, const Setting& setting, JobContainerConf& conf) {
  auto is = [&](std::string_view key) { return iequals(setting.key, key); };
  if (is("NodeName")) return {};
  if (is("BasePath")) {
    if (!setting.value.starts_with('/')) return bad_value(at, setting, "an absolute path");
    conf.base_path = setting.value;
  } else if (is("AutoBasePath")) {
    auto value = parse_yes_no(setting.value);
    if (!value) return bad_value(at, setting, "true or false");
    conf.auto_base_path = *value;
  } else if (is("Dirs")) {
    conf.directories.clear();
    for (std::string_view dir : split(setting.value, ',')) {
      if (!trim(dir).starts_with('/')) return bad_value(at, setting, "absolute paths");
      conf.directories.emplace_back(trim(dir));
    }
    if (std::ranges::find(conf.directories, "/dev/shm") == conf.directories.end())
      conf.directories.emplace_back("/dev/shm");
  } else if (is("InitScript")) {
    if (!setting.value.starts_with('/')) return bad_value(at, setting, "an absolute path");
    conf.init_script = setting.value;
  } else {
    return invalid(at, fmt::format("{}: not a key of job_container.conf", setting.key));
  }
  return {};
}

}  // namespace

Result<JobContainerConf> load_job_container_conf(const FileReader& read, const std::string& path,
                                                 const std::string& node_name) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  JobContainerConf conf;
  for (const Line& line : *lines) {
    if (!is_for(line, node_name)) continue;
    for (const Setting& setting : line.settings)
      if (auto done = read_setting(line.at, setting, conf); !done)
        return std::unexpected(done.error());
  }
  if (conf.base_path.empty())
    return fail(ErrorCode::config_invalid, fmt::format("{}: BasePath is missing", path));
  return conf;
}

}  // namespace muster::config
