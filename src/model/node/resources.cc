// Parses gres requests, formats TRES, and maps shares of GPUs to their GPUs.
#include "model/node/resources.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/saturating.h"
#include "base/text/size.h"
#include "base/text/strings.h"

namespace muster {

namespace {

bool starts_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

constexpr std::unexpected kInvalid(ErrorCode::invalid_gres);

// "name", "name:count", "name:type", "name:type:count", optionally with "gres:" or "gres/" in
// front.
Parsed<GresRequest> parse_one_gres(std::string_view text) {
  std::string_view rest = text;
  if (istarts_with(rest, "gres:") || istarts_with(rest, "gres/")) rest.remove_prefix(5);
  auto parts = split(rest, ':');
  // Slurm writes "gpu=2" in TRES texts and takes it here too.
  if (auto equals = parts.back().find('='); equals != std::string_view::npos) {
    std::string_view last = parts.back();
    parts.back() = last.substr(0, equals);
    parts.push_back(last.substr(equals + 1));
  }
  if (parts.size() > 3 || parts[0].empty() || starts_with_digit(parts[0])) return kInvalid;
  GresRequest request{parts[0], {}, 1};
  bool has_count = parts.size() > 1 && starts_with_digit(parts.back());
  if (has_count) {
    auto count = parse_count(parts.back());
    if (!count) return kInvalid;
    request.count = *count;
  }
  std::size_t type_parts = parts.size() - 1 - (has_count ? 1 : 0);
  if (type_parts > 1) return kInvalid;
  if (type_parts == 1) {
    if (parts[1].empty()) return kInvalid;
    request.type = parts[1];
  }
  return request;
}

// "[type:]count" or "type", for GPUs.
Parsed<GresRequest> parse_one_kind(std::string_view text) {
  GresRequest request{"gpu", {}, 1};
  auto colon = text.find(':');
  bool only_count = colon == text.npos && starts_with_digit(text);
  if (!only_count) {
    std::string_view type = text.substr(0, colon);
    if (type.empty()) return kInvalid;
    request.type = type;
  }
  if (!only_count && colon == text.npos) return request;
  auto count = parse_count(only_count ? text : text.substr(colon + 1));
  if (!count) return kInvalid;
  request.count = *count;
  return request;
}

bool has_too_many(std::string_view list) {
  return static_cast<std::size_t>(std::ranges::count(list, ',')) >= kMostGresRequests;
}

// None if the list is malformed.
const GresRequests& requests_of(const Parsed<GresRequests>& parsed) {
  static const GresRequests none;
  return parsed ? *parsed : none;
}

std::string gres_items(const std::vector<GresShare>& gres) {
  std::string out;
  for (const GresShare& share : gres)
    if (share.count > 0) out += fmt::format(",gres/{}={}", share.name.view(), share.count);
  return out;
}

}  // namespace

const IdSet& NodeShare::held_cpus() const {
  static const IdSet kNone;
  return hold == CpuHold::lent ? kNone : cpus;
}

Parsed<GresRequests> parse_gres(std::string_view text) {
  GresRequests requests;
  text = trim(text);
  if (text.empty() || iequals(text, "none")) return requests;
  if (has_too_many(text)) return kInvalid;
  for (std::string_view part : split(text, ',')) {
    auto request = parse_one_gres(trim(part));
    if (!request) return std::unexpected(request.error());
    requests.push_back(std::move(*request));
  }
  return requests;
}

void set_count(GresRequests& list, const GresRequest& last) {
  auto same = std::ranges::find_if(list, [&](const GresRequest& g) { return g.is_kind_of(last); });
  if (same == list.end())
    list.push_back(last);
  else
    same->count = last.count;
}

void drop_kinds_of(const GresRequests& others, GresRequests& list) {
  std::erase_if(list, [&](const GresRequest& g) {
    return std::ranges::any_of(others, [&](const GresRequest& o) { return g.is_kind_of(o); });
  });
}

std::uint64_t sum_of(const GresRequests& list) {
  std::uint64_t sum = 0;
  for (const GresRequest& each : list) sum = saturating_add(sum, each.count);
  return sum;
}

Parsed<GresRequests> parse_gpus(std::string_view text) {
  GresRequests gpus;
  if (has_too_many(text)) return kInvalid;
  for (std::string_view part : split(text, ',')) {
    if (trim(part).empty()) continue;
    auto request = parse_one_kind(trim(part));
    if (!request) return std::unexpected(request.error());
    set_count(gpus, *request);
  }
  return gpus;
}

const GresRequests& requests_in(const GresList& list) { return requests_of(list.parsed()); }
const GresRequests& requests_in(const GpuList& list) { return requests_of(list.parsed()); }

std::string as_gres(std::string_view gpus) {
  std::string out;
  for (std::string_view part : split(gpus, ','))
    if (!trim(part).empty()) out += fmt::format("{}gpu:{}", out.empty() ? "" : ",", trim(part));
  return out;
}

std::string Tres::text() const {
  std::string out = fmt::format("cpu={}", cpus);
  if (memory_mib > 0) out += fmt::format(",mem={}", format_mib(memory_mib));
  out += fmt::format(",node={}", nodes);
  if (billing > 0) out += fmt::format(",billing={}", billing);
  return out + gres_items(gres);
}

std::string Tres::accounting_text() const {
  std::string out;
  auto add = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(value);
  };
  if (billing > 0) add("billing=", std::to_string(billing) + ",");  // steps: not charged
  add("cpu=", std::to_string(cpus));
  out += gres_items(gres);
  if (memory_mib > 0) add(",mem=", format_mib(memory_mib));
  add(",node=", std::to_string(nodes));
  return out;
}

Tres total(const std::vector<NodeShare>& shares) {
  Tres sum;
  for (const NodeShare& share : shares) {
    sum.cpus += share.cpus.size() + share.left_to_system.size();
    sum.memory_mib += share.memory_mib;
    ++sum.nodes;
    for (const GresShare& part : share.gres) {
      auto at = std::ranges::lower_bound(sum.gres, part.name, {}, &GresShare::name);
      if (at == sum.gres.end() || at->name != part.name)
        at = sum.gres.insert(at, GresShare{part.name, {}, 0, {}});
      at->count += part.count;
    }
  }
  sum.billing = sum.cpus;
  return sum;
}

std::string compress_counts(const std::vector<std::uint32_t>& counts) {
  std::string out;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t end = i;
    while (end < counts.size() && counts[end] == counts[i]) ++end;
    if (!out.empty()) out += ',';
    out += std::to_string(counts[i]);
    if (end - i > 1) out += fmt::format("(x{})", end - i);
    i = end;
  }
  return out;
}

bool is_part_of_gpus(std::string_view gres_name) {
  return gres_name == "shard" || gres_name == "mps";
}

IdSet GresPool::shares_of(std::uint32_t gpu) const {
  if (gpu >= per_device.size() || per_device[gpu] == 0) return {};
  std::uint64_t first = 0;
  for (std::uint32_t i = 0; i < gpu; ++i) first += per_device[i];
  return IdSet::range(static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(first + per_device[gpu] - 1));
}

IdSet GresPool::gpus_of(const IdSet& shares) const {
  IdSet gpus;
  for (std::uint32_t gpu = 0; gpu < per_device.size(); ++gpu)
    if (shares_of(gpu).intersects(shares)) gpus.insert(gpu);
  return gpus;
}

IdSet GresPool::cores_near(const IdSet& devices) const {
  IdSet near;
  auto all = indices.ids();
  for (std::size_t i = 0; i < all.size() && i < cores.size(); ++i)
    if (devices.contains(all[i])) near.merge(cores[i]);
  return near;
}

void add_detected(std::vector<GresPool>& pools, const std::vector<GresPool>& detected) {
  struct Device {
    const GresPool* pool;
    Text file, uuid;
    bool taken = false;
  };
  std::vector<Device> devices;
  for (const GresPool& found : detected)
    for (std::size_t i = 0; i < found.files.size(); ++i)
      devices.push_back({&found, found.files[i], i < found.uuids.size() ? found.uuids[i] : Text()});
  for (GresPool& pool : pools) {
    if (!pool.files.empty()) continue;
    for (Device& device : devices) {
      if (device.taken || device.pool->name != pool.name || pool.files.size() == pool.count)
        continue;
      // The configured type may be a part of the product's name: "v100" in "tesla_v100-sxm2-16gb".
      if (device.pool->type.view().find(pool.type.view()) == std::string_view::npos) continue;
      device.taken = true;
      pool.files.push_back(device.file);
      if (!device.uuid.empty()) pool.uuids.push_back(device.uuid);
    }
  }
}

}  // namespace muster
