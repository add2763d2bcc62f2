// Parses and names distributions.
#include "model/binding/distribution.h"

#include <span>
#include <utility>

#include "base/text/strings.h"

namespace muster {

namespace {

// A distribution over sockets or over cores.
std::optional<Distribution::Inner> parse_inner(std::string_view text) {
  using Inner = Distribution::Inner;
  for (auto [name, how] : {std::pair{"block", Inner::block}, std::pair{"cyclic", Inner::cyclic},
                           std::pair{"fcyclic", Inner::fcyclic}, std::pair{"*", Inner::unset}})
    if (iequals(text, name)) return how;
  return std::nullopt;
}

}  // namespace

std::optional<Distribution> parse_distribution(std::string_view text) {
  Distribution how;
  if (text.empty()) return std::nullopt;
  auto words = split(text, ',');
  // "pack" alone does not change the rest.
  if (iequals(words.front(), "Pack") || iequals(words.front(), "NoPack"))
    words.insert(words.begin(), "*");
  for (std::string_view option : std::span(words).subspan(1)) {
    if (iequals(option, "Pack"))
      how.pack = true;
    else if (iequals(option, "NoPack"))
      how.pack = false;
    else
      return std::nullopt;
  }
  auto methods = split(words.front(), ':');
  if (methods.size() > 3) return std::nullopt;
  for (std::size_t level = 1; level < methods.size(); ++level) {
    auto inner = parse_inner(methods[level]);
    if (!inner) return std::nullopt;
    (level == 1 ? how.sockets : how.cores) = *inner;
  }
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

std::string distribution_name(const Distribution& how) {
  using Kind = Distribution::Kind;
  constexpr std::string_view kInner[] = {"", "Block", "Cyclic", "FCyclic"};
  constexpr std::string_view kKinds[] = {"Block", "Cyclic", "Plane", "Arbitrary"};
  const std::string_view kind = kKinds[std::to_underlying(how.kind)];
  const std::string_view sockets = kInner[std::to_underlying(how.sockets)];
  const std::string_view cores = kInner[std::to_underlying(how.cores)];
  const bool is_inner_told = how.kind <= Kind::cyclic && !(sockets.empty() && cores.empty());
  std::string name(kind.substr(0, is_inner_told ? 1 : kind.size()));
  if (is_inner_told) name.append(sockets).append(cores);
  if (how.pack) name += *how.pack ? ",Pack" : ",NoPack";
  return name;
}

}  // namespace muster
