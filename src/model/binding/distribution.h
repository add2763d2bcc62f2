// Distribution: --distribution, how the tasks of a job or step are distributed over its nodes, and
// over the sockets and cores of each node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

struct Distribution {
  enum class Kind : std::uint8_t { block, cyclic, plane, arbitrary };
  Kind kind = Kind::block;
  std::uint32_t plane_size = 1;
  std::optional<bool> pack;  // ",Pack": fill node after node; ",NoPack": do not
  enum class Inner : std::uint8_t { unset, block, cyclic, fcyclic };
  Inner sockets = Inner::unset, cores = Inner::unset;
  bool operator==(const Distribution&) const = default;
};
// "block", "cyclic:block", "plane=4", "*", "block,Pack"; unset if the text is malformed.
std::optional<Distribution> parse_distribution(std::string_view text);
// scontrol's name for it: "Block", "CBlock" for cyclic:block, "BCyclicFCyclic", "Plane",
// "Block,Pack".
std::string distribution_name(const Distribution& how);

}  // namespace muster
