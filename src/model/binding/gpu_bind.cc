// Parses --gpu-bind, and picks the GPUs of each task.
#include "model/binding/gpu_bind.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster {

namespace {

constexpr std::uint32_t kMostEntries = 65536;

// Bits of a hexadecimal number of any length, with or without 0x.
std::optional<IdSet> parse_mask(std::string_view text) {
  if (istarts_with(text, "0x")) text.remove_prefix(2);
  if (text.empty()) return std::nullopt;
  IdSet bits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string digit = lower(text.substr(text.size() - 1 - i, 1));
    std::size_t value = kDigits.find(digit);
    if (value == kDigits.npos) return std::nullopt;
    for (std::uint32_t bit = 0; bit < 4; ++bit)
      if (value & (1u << bit)) bits.insert(static_cast<std::uint32_t>(i) * 4 + bit);
  }
  return bits;
}

std::optional<IdSet> parse_entry(std::string_view text, bool is_mask) {
  if (is_mask) return parse_mask(text);
  auto number = parse_number<std::uint32_t>(text);
  if (!number) return parse_mask(text.starts_with("0x") ? text : "");
  return IdSet::range(*number, *number);
}

IdSet picked(const std::vector<std::uint32_t>& gpus, const IdSet& places) {
  IdSet out;
  for (std::uint32_t place : places.ids())
    if (place < gpus.size()) out.insert(gpus[place]);
  return out;
}

}  // namespace

std::optional<std::vector<IdSet>> parse_bind_list(std::string_view text, bool masks) {
  std::vector<IdSet> list;
  for (std::string_view part : split(text, ',')) {
    std::uint32_t times = 1;
    if (auto star = part.find('*'); star != part.npos) {
      auto count = parse_number<std::uint32_t>(part.substr(star + 1));
      if (!count || *count == 0 || *count > kMostEntries) return std::nullopt;
      times = *count;
      part = part.substr(0, star);
    }
    auto entry = parse_entry(part, masks);
    if (!entry || list.size() + times > kMostEntries) return std::nullopt;
    list.insert(list.end(), times, *entry);
  }
  return list;
}

Result<GpuBind> parse_gpu_bind(std::string_view text) {
  GpuBind bind;
  std::string_view rest = text;
  if (istarts_with(rest, "gpu:")) rest.remove_prefix(4);
  for (std::string_view word : {"verbose,", "v,"})
    if (istarts_with(rest, word)) {
      bind.verbose = true;
      rest.remove_prefix(word.size());
    }
  auto colon = rest.find(':');
  std::string_view name = rest.substr(0, colon);
  std::string_view value = colon == rest.npos ? std::string_view{} : rest.substr(colon + 1);
  using Kind = GpuBind::Kind;
  auto invalid = fail("Invalid --gpu-bind argument: gpu:" + std::string(text));
  if (iequals(rest, "none") || iequals(rest, "closest")) {
    bind.kind = iequals(rest, "none") ? Kind::none : Kind::closest;
    return bind;
  }
  if (iequals(name, "single") || iequals(name, "per_task")) {
    auto count = parse_number<std::uint32_t>(value);
    if (!count || *count == 0) return invalid;
    bind.kind = iequals(name, "single") ? Kind::single : Kind::per_task;
    bind.count = *count;
    return bind;
  }
  if (!iequals(name, "map_gpu") && !iequals(name, "mask_gpu")) return invalid;
  auto list = parse_bind_list(value, iequals(name, "mask_gpu"));
  if (!list) return invalid;
  bind.kind = Kind::list;
  bind.list = std::move(*list);
  return bind;
}

std::optional<IdSet> gpus_of_task(const GpuBind& bind, const IdSet& gpus, std::uint32_t local_id) {
  const std::vector<std::uint32_t> ids = gpus.ids();
  if (ids.empty()) return std::nullopt;
  const auto count = static_cast<std::uint32_t>(ids.size());
  switch (bind.kind) {
    case GpuBind::Kind::none:
    case GpuBind::Kind::closest:
      return std::nullopt;
    case GpuBind::Kind::single: {
      std::uint32_t place = local_id / bind.count % count;
      return picked(ids, IdSet::range(place, place));
    }
    case GpuBind::Kind::per_task: {
      // If there are more tasks than GPUs, tasks start again at the first GPU.
      std::uint32_t shares = std::max(1u, count / bind.count);
      std::uint32_t first = local_id % shares * bind.count;
      return picked(ids, IdSet::range(first, first + bind.count - 1));
    }
    case GpuBind::Kind::list:
      return picked(ids, bind.list[local_id % bind.list.size()]);
  }
  return std::nullopt;
}

}  // namespace muster
