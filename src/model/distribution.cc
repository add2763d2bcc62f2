#include "model/distribution.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/strings.h"

namespace muster {

namespace {

// Of tasks over sockets and over cores; the nodes' own binding decides what comes of it.
bool is_inner_method(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kMethods{"block", "cyclic", "fcyclic", "*"};
  return std::ranges::any_of(kMethods, [&](std::string_view m) { return iequals(text, m); });
}

}  // namespace

std::optional<Distribution> parse_distribution(std::string_view text) {
  Distribution how;
  auto words = split(text, ',');
  for (std::string_view option : std::span(words).subspan(1)) {
    if (iequals(option, "Pack"))
      how.pack = true;
    else if (!iequals(option, "NoPack"))
      return std::nullopt;
  }
  auto methods = split(words.front(), ':');
  if (methods.size() > 3 || !std::ranges::all_of(std::span(methods).subspan(1), is_inner_method))
    return std::nullopt;
  std::string_view nodes = methods.front();
  if (istarts_with(nodes, "plane=")) {
    auto size = parse_number<std::uint32_t>(nodes.substr(6));
    if (!size || *size == 0) return std::nullopt;
    how.kind = Distribution::Kind::plane;
    how.plane_size = *size;
    return how;
  }
  using Kind = Distribution::Kind;
  for (auto [name, kind] :
       {std::pair{"block", Kind::block}, std::pair{"*", Kind::block},
        std::pair{"cyclic", Kind::cyclic}, std::pair{"arbitrary", Kind::arbitrary}})
    if (iequals(nodes, name)) {
      how.kind = kind;
      return how;
    }
  return std::nullopt;
}

}  // namespace muster
