// Assigns commands to components: srun --het-group, and commands separated by colons.
#include "cli/srun/groups.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/idset.h"
#include "base/text/strings.h"
#include "cli/srun/plan.h"

namespace muster::cli {

namespace {

std::string group_name(std::string_view name, std::uint32_t group) {
  return fmt::format("{}_HET_GROUP_{}", name, group);
}

// The last use of the option counts.
std::optional<std::string> groups_asked(const ParsedWords& words) {
  std::optional<std::string> asked;
  for (const auto& [name, value] : words.options)
    if (name == "het-group" || name == "pack-group") asked = value;
  return asked;
}

}  // namespace

std::optional<std::uint32_t> het_size(const Lookup& environment) {
  const char* text = environment("SLURM_HET_SIZE");
  if (!text) return std::nullopt;
  auto size = parse_number<std::uint32_t>(text);
  return size && *size > 0 ? size : std::nullopt;
}

Lookup in_group(const Lookup& environment, std::uint32_t group, std::uint32_t size) {
  return [=](const char* name) -> const char* {
    if (const char* own = environment(group_name(name, group).c_str())) return own;
    for (std::uint32_t other = 0; other < size; ++other)
      if (environment(group_name(name, other).c_str())) return nullptr;
    return environment(name);
  };
}

std::expected<std::vector<GroupPart>, Refusal> group_parts(const std::vector<ParsedWords>& commands,
                                                           std::uint32_t size) {
  std::vector<GroupPart> parts;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    auto asked = groups_asked(commands[i]);
    auto groups = asked ? IdSet::parse(*asked) : IdSet::range(i, i);
    if (!groups || groups->empty())
      return srun_refuses(fmt::format("Invalid --het-group value: {}", *asked));
    if (groups->max() >= size)
      return srun_refuses(
          fmt::format("Requested het-group offset exceeds highest hetjob index ({} > {})",
                      groups->max(), size - 1));
    for (std::uint32_t group : groups->ids()) parts.push_back({i, group});
  }
  std::ranges::stable_sort(parts, {}, &GroupPart::group);
  return parts;
}

}  // namespace muster::cli
