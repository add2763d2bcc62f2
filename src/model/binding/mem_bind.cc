// Parses --mem-bind, and picks the NUMA nodes of each task.
#include "model/binding/mem_bind.h"

#include <array>

#include "base/text/strings.h"
#include "model/binding/gpu_bind.h"

namespace muster {

namespace {

struct MemoryKind {
  std::string_view text, short_text;
  MemBind::Kind kind;
};
constexpr std::array<MemoryKind, 3> kMemoryKinds{{{"none", "no", MemBind::Kind::none},
                                                  {"rank", "rank", MemBind::Kind::rank},
                                                  {"local", "local", MemBind::Kind::local}}};

// Reads a word that comes before the kind of binding; false for any other word.
bool take_manner(MemBind& bind, std::string_view word) {
  auto is = [&](std::string_view whole, std::string_view letter) {
    return iequals(word, whole) || iequals(word, letter);
  };
  if (is("verbose", "v"))
    bind.verbose = true;
  else if (is("quiet", "q"))
    bind.verbose = false;
  else if (is("prefer", "p"))
    bind.prefer = true;
  else if (is("sort", "sort"))
    bind.sort = true;
  else if (is("nosort", "nosort"))
    bind.sort = false;
  else
    return false;
  return true;
}

std::string without_prefixes(std::string_view list) {
  std::vector<std::string> words;
  for (std::string_view word : split(list, ','))
    words.emplace_back(istarts_with(word, "0x") ? word.substr(2) : word);
  return join(words, ",");
}

Result<void> take_list(MemBind& bind, std::string_view word, std::string_view name,
                       MemBind::Kind kind) {
  const std::string_view list = word.size() > name.size() ? word.substr(name.size() + 1) : "";
  if (list.empty()) return fail("missing list for \"--mem-bind=" + std::string(name) + ":<list>\"");
  auto parsed = parse_bind_list(list, kind == MemBind::Kind::mask);
  if (!parsed) return fail("unrecognized --mem-bind argument \"" + std::string(word) + "\"");
  bind.kind = kind;
  bind.list = std::move(*parsed);
  bind.list_text = kind == MemBind::Kind::mask ? without_prefixes(list) : std::string(list);
  return {};
}

}  // namespace

Result<MemBind> parse_mem_bind(std::string_view text) {
  MemBind bind;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (!take_manner(bind, word)) break;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  if (rest.empty()) return bind;
  for (const MemoryKind& name : kMemoryKinds)
    if (iequals(rest, name.text) || iequals(rest, name.short_text)) {
      bind.kind = name.kind;
      return bind;
    }
  Result<void> taken = fail("unrecognized --mem-bind argument \"" + std::string(text) + "\"");
  if (istarts_with(rest, "map_mem")) taken = take_list(bind, rest, "map_mem", MemBind::Kind::map);
  if (istarts_with(rest, "mask_mem"))
    taken = take_list(bind, rest, "mask_mem", MemBind::Kind::mask);
  if (!taken) return std::unexpected(taken.error());
  return bind;
}

std::string_view mem_bind_type(MemBind::Kind kind) {
  switch (kind) {
    case MemBind::Kind::unset:
      return "";
    case MemBind::Kind::none:
      return "none";
    case MemBind::Kind::rank:
      return "rank";
    case MemBind::Kind::local:
      return "local";
    case MemBind::Kind::map:
      return "map_mem:";
    case MemBind::Kind::mask:
      return "mask_mem:";
  }
  return "";
}

std::string mem_bind_text(const MemBind& bind) {
  std::string out = bind.verbose ? "verbose" : "quiet";
  if (bind.prefer) out += ",prefer";
  if (bind.kind == MemBind::Kind::unset) return out;
  return out + "," + std::string(mem_bind_type(bind.kind)) + bind.list_text;
}

std::optional<IdSet> memory_of_task(const MemBind& bind, std::uint32_t local_id,
                                    const IdSet& local) {
  switch (bind.kind) {
    case MemBind::Kind::unset:
    case MemBind::Kind::none:
      return std::nullopt;
    case MemBind::Kind::rank:
      return IdSet::range(local_id, local_id);
    case MemBind::Kind::local:
      return local;
    case MemBind::Kind::map:
    case MemBind::Kind::mask:
      return bind.list[local_id % bind.list.size()];
  }
  return std::nullopt;
}

}  // namespace muster
