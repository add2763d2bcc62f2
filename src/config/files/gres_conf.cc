// Reads gres.conf, and joins its devices to the Gres= of node lines.
#include "config/files/gres_conf.h"

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"

namespace muster::config {

namespace {

constexpr std::string_view kAutoDetect[] = {"nvml", "nvidia", "rsmi", "oneapi", "nrt", "off"};
constexpr std::string_view kFlags[] = {"CountOnly",     "explicit",       "one_sharing",
                                       "all_sharing",   "nvidia_gpu_env", "amd_gpu_env",
                                       "intel_gpu_env", "opencl_env",     "no_gpu_env"};

bool is_one_of(std::span<const std::string_view> words, std::string_view text) {
  return std::ranges::any_of(words, [&](std::string_view word) { return iequals(word, text); });
}

Result<std::vector<std::string>> expand(const Line& line, const Setting& setting) {
  auto names = expand_hostlist(setting.value);
  if (!names) return wrong_value(line.at, setting, names.error().text());
  return *names;
}

Result<void> read_flags(const Line& line, const Setting& setting, GresLine& gres) {
  for (std::string_view flag : split(setting.value, ',')) {
    if (!is_one_of(kFlags, trim(flag)))
      return bad_value(line.at, setting, "flags such as CountOnly, one_sharing or nvidia_gpu_env");
    gres.flags.emplace_back(trim(flag));
  }
  return {};
}

Result<void> read_setting(const Line& line, const Setting& setting, GresLine& gres,
                          GresConf& conf) {
  auto is = [&](std::string_view key) { return iequals(setting.key, key); };
  if (is("NodeName") || is("File") || is("MultipleFiles")) {
    auto names = expand(line, setting);
    if (!names) return std::unexpected(names.error());
    (is("NodeName") ? gres.nodes : gres.files) = std::move(*names);
  } else if (is("Name")) {
    gres.name = setting.value;
  } else if (is("Type")) {
    gres.type = setting.value;
  } else if (is("Count")) {
    gres.count = parse_count(setting.value);
    if (!gres.count) return bad_value(line.at, setting, "a number, with K, M, G or T if large");
  } else if (is("Cores") || is("CPUs")) {
    gres.cores = IdSet::parse(setting.value);
    if (!gres.cores) return bad_value(line.at, setting, "core numbers such as 0-3,8");
  } else if (is("Links")) {
    gres.links = setting.value;
  } else if (is("Flags")) {
    return read_flags(line, setting, gres);
  } else if (is("AutoDetect")) {
    if (!is_one_of(kAutoDetect, setting.value))
      return bad_value(line.at, setting, "nvml, nvidia, rsmi, oneapi, nrt or off");
    conf.auto_detect = lower(setting.value);
  } else {
    return invalid(line.at, fmt::format("{}: not a key of gres.conf", setting.key));
  }
  return {};
}

// Moves the devices that a request needs from one line into a pool.
class PoolBuilder {
 public:
  PoolBuilder(const NodeConfig& node, const GresConf& gres) : node_(node) {
    for (const GresLine& line : gres.lines)
      if (!line.name.empty() && line.applies_to(node.name))
        offers_.push_back({&line, line.size(), 0});
  }

  Result<void> add(const GresRequest& request) {
    std::uint64_t left = request.count;
    bool has_files = false;
    for (Offer& offer : offers_) {
      if (left == 0) break;
      if (!matches(request, offer)) continue;
      std::uint64_t taken = std::min(left, offer.left);
      Text type = request.type.empty() ? Text(offer.line->type) : request.type;
      put(request.name, type, taken, offer);
      has_files |= !offer.line->files.empty();
      left -= taken;
    }
    if (left > 0 && has_files)
      return fail(ErrorCode::config_invalid,
                  fmt::format("NodeName={} has Gres={}, but gres.conf names {} devices too few",
                              node_.name.view(), node_.gres_text.view(), left));
    Offer none{nullptr, 0, 0};
    if (left > 0) put(request.name, request.type, left, none);
    return {};
  }

  // Divides shares of GPUs evenly over the devices that a line of gres.conf names, or over all.
  Result<void> add_parts(const GresRequest& request) {
    std::vector<Text> gpus;
    for (const GresPool& pool : pools_)
      if (pool.name == "gpu")
        for (std::size_t i = 0; i < pool.count; ++i)
          gpus.push_back(i < pool.files.size() ? pool.files[i] : Text());
    if (gpus.empty())
      return fail(ErrorCode::config_invalid,
                  fmt::format("NodeName={} has Gres={}, but no GPUs to share", node_.name.view(),
                              node_.gres_text.view()));
    GresPool pool{.name = request.name, .type = request.type, .count = request.count};
    pool.per_device.assign(gpus.size(), 0);
    std::uint64_t named = 0;
    for (const Offer& offer : offers_) {
      if (!matches(request, offer) || offer.line->files.empty()) continue;
      auto of_line = [&](std::size_t gpu) {
        return std::ranges::find(offer.line->files, gpus[gpu].view()) != offer.line->files.end();
      };
      spread(offer.line->size(), of_line, pool.per_device);
      named += offer.line->size();
    }
    if (named < request.count)
      spread(request.count - named, [](std::size_t) { return true; }, pool.per_device);
    pool.indices = IdSet::range(0, static_cast<std::uint32_t>(request.count - 1));
    pools_.push_back(std::move(pool));
    return {};
  }

  std::vector<GresPool> take() { return std::move(pools_); }

 private:
  struct Offer {
    const GresLine* line;
    std::uint64_t left;
    std::size_t next_file;
  };

  static bool matches(const GresRequest& request, const Offer& offer) {
    if (offer.left == 0 || request.name != offer.line->name) return false;
    return request.type.empty() || offer.line->type.empty() || request.type == offer.line->type;
  }

  static void spread(std::uint64_t count, const auto& gets_some,
                     std::vector<std::uint64_t>& per_device) {
    std::uint64_t left = 0;
    for (std::size_t i = 0; i < per_device.size(); ++i) left += gets_some(i) ? 1 : 0;
    for (std::size_t i = 0; i < per_device.size(); ++i) {
      if (!gets_some(i)) continue;
      std::uint64_t share = (count + left - 1) / left;
      per_device[i] += share;
      count -= share;
      --left;
    }
  }

  void put(const Text& name, const Text& type, std::uint64_t count, Offer& offer) {
    auto same = [&](const GresPool& pool) { return pool.name == name && pool.type == type; };
    auto pool = std::ranges::find_if(pools_, same);
    if (pool == pools_.end()) pool = pools_.insert(pools_.end(), GresPool{name, type, 0, {}, {}});
    pool->count += count;
    bool has_files = offer.line && !offer.line->files.empty();
    if (has_files || (name == "gpu" && count > 0)) {
      std::uint32_t& next = next_index_[name];
      pool->indices.insert(next, static_cast<std::uint32_t>(next + count - 1));
      if (offer.line && offer.line->cores) {
        pool->cores.resize(pool->indices.size() - count);
        pool->cores.resize(pool->indices.size(), *offer.line->cores);
      }
      next += static_cast<std::uint32_t>(count);
    }
    for (std::uint64_t i = 0; has_files && i < count && offer.next_file < offer.line->files.size();
         ++i)
      pool->files.push_back(offer.line->files[offer.next_file++]);
    offer.left -= std::min(count, offer.left);
  }

  const NodeConfig& node_;
  std::vector<Offer> offers_;
  std::map<Text, std::uint32_t> next_index_;
  std::vector<GresPool> pools_;
};

}  // namespace

bool GresLine::applies_to(std::string_view node) const {
  return nodes.empty() || std::ranges::find(nodes, node) != nodes.end();
}

std::uint64_t GresLine::size() const {
  if (count) return *count;
  return files.empty() ? 1 : files.size();
}

Result<GresConf> load_gres_conf(const FileReader& read, const std::string& path) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  GresConf conf;
  for (const Line& line : *lines) {
    GresLine gres;
    gres.at = line.at;
    for (const Setting& setting : line.settings)
      if (auto done = read_setting(line, setting, gres, conf); !done)
        return std::unexpected(done.error());
    bool only_detects = gres.name.empty() && gres.files.empty() && !gres.count;
    if (gres.name.empty() && !only_detects) return invalid(line.at, "Name= is missing");
    if (!gres.files.empty() && gres.count && *gres.count != gres.files.size() && gres.name == "gpu")
      return invalid(line.at, fmt::format("Count={}, but File= names {} devices", *gres.count,
                                          gres.files.size()));
    if (!gres.name.empty()) conf.lines.push_back(std::move(gres));
  }
  return conf;
}

Result<std::vector<GresPool>> gres_pools(const NodeConfig& node, const GresConf& gres) {
  auto requests = parse_gres(node.gres_text);
  if (!requests) return std::unexpected(requests.error());
  PoolBuilder builder(node, gres);
  for (const GresRequest& request : *requests)
    if (!is_part_of_gpus(request.name))
      if (auto done = builder.add(request); !done) return std::unexpected(done.error());
  for (const GresRequest& request : *requests)
    if (is_part_of_gpus(request.name) && request.count > 0)
      if (auto done = builder.add_parts(request); !done) return std::unexpected(done.error());
  return builder.take();
}

}  // namespace muster::config
