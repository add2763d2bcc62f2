// --distribution: how the tasks of a job or step are laid over its nodes, and over the sockets and
// cores of each.
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
// "block", "cyclic:block", "plane=4", "*", "block,Pack"; nothing where the text is none of these.
std::optional<Distribution> parse_distribution(std::string_view text);
// As scontrol calls it: "Block", "CBlock" for cyclic:block, "BCyclicFCyclic", "Plane",
// "Block,Pack".
std::string distribution_name(const Distribution& how);

}  // namespace muster
