// Checks partitions against the caller's groups.
#include "cli/lib/own_groups.h"

#include <unistd.h>

#include <algorithm>

#include "base/text/strings.h"
#include "cli/lib/name_lookup.h"

namespace muster::cli {

namespace {

std::vector<gid_t> own_groups() {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  groups.resize(static_cast<std::size_t>(
      std::max(getgroups(static_cast<int>(groups.size()), groups.data()), 0)));
  groups.push_back(getegid());
  return groups;
}

}  // namespace

bool admits_own_groups(const Partition& partition) {
  if (partition.allow_groups.empty() || iequals(partition.allow_groups, "ALL")) return true;
  if (own_uid() == Uid{0}) return true;
  const std::vector<gid_t> own = own_groups();
  return std::ranges::any_of(split(partition.allow_groups, ','), [&](std::string_view name) {
    auto group = find_group(name);
    return group && std::ranges::find(own, group->value) != own.end();
  });
}

}  // namespace muster::cli
