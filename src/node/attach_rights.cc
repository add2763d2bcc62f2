// Checks branches and grants.
#include "node/attach_rights.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/hostlist.h"

namespace muster {

Result<void> check_below(const wire::Below& below, std::uint32_t tasks_of_step) {
  if (below.branches.size() < tasks_of_step || below.branches.empty()) return {};
  return fail(fmt::format("{} nodes below this one are too many for a step of {} tasks",
                          below.branches.size(), tasks_of_step));
}

Result<void> check_grant(const wire::FileGrant& grant, Uid caller, std::string_view node,
                         Time now) {
  if (grant.uid != caller) return fail("the permission to write files is another user's");
  if (now >= grant.expires) return fail("the permission to write files has expired");
  auto nodes = expand_hostlist(grant.nodes.view());
  if (!nodes || std::ranges::find(*nodes, node) == nodes->end())
    return fail("the permission to write files is not for this node");
  return {};
}

}  // namespace muster
