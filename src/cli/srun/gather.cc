// Collects contributions until a group is complete.
#include "cli/srun/gather.h"

#include <algorithm>

namespace muster::cli {

std::optional<GatherBook::Complete> GatherBook::add(std::uint32_t place,
                                                    wire::Contribution contribution) {
  if (std::ranges::find(contribution.places, place) == contribution.places.end())
    return std::nullopt;
  Key key{std::move(contribution.name), std::move(contribution.places)};
  auto& parts = open_[key];
  parts[place] = std::move(contribution.bytes);
  const bool all =
      std::ranges::all_of(key.second, [&](std::uint32_t member) { return parts.contains(member); });
  if (!all) return std::nullopt;
  Complete complete{.places = key.second, .gathered = {key.first, {}, key.second}};
  for (std::uint32_t member : key.second)
    complete.gathered.parts.push_back(std::move(parts.at(member)));
  open_.erase(key);
  return complete;
}

}  // namespace muster::cli
