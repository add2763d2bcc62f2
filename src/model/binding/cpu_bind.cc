// Parses --cpu-bind, and computes the CPUs of each task.
#include "model/binding/cpu_bind.h"

#include <algorithm>
#include <array>

#include "base/text/strings.h"
#include "model/binding/gpu_bind.h"

namespace muster {

namespace {

using Kind = CpuBind::Kind;

struct Name {
  std::string_view text;
  Kind kind;
};
constexpr std::array<Name, 8> kPlain{{{"none", Kind::none},
                                      {"no", Kind::none},
                                      {"rank", Kind::rank},
                                      {"threads", Kind::threads},
                                      {"cores", Kind::cores},
                                      {"sockets", Kind::sockets},
                                      {"ldoms", Kind::ldoms},
                                      {"rank_ldom", Kind::rank_ldom}}};
struct ListName {
  std::string_view text;
  Kind kind;
  bool masks;
};
constexpr std::array<ListName, 4> kLists{{{"map_cpu:", Kind::list, false},
                                          {"mask_cpu:", Kind::list, true},
                                          {"map_ldom:", Kind::ldom_list, false},
                                          {"mask_ldom:", Kind::ldom_list, true}}};

// The task's own CPUs: its slice of the step's CPUs. If these run out, slices start again at the
// first CPU.
IdSet own_cpus(const IdSet& cpus, BoundTask task) {
  const std::vector<std::uint32_t> ids = cpus.ids();
  IdSet own;
  for (std::uint32_t i = 0; i < task.cpus_per_task; ++i)
    own.insert(ids[(std::size_t{task.local_id} * task.cpus_per_task + i) % ids.size()]);
  return own;
}

// All CPUs of the step that share a unit (core, socket, domain) with one of `own`.
IdSet widened(const IdSet& own, const CpuLayout& layout, const IdSet& cpus,
              std::uint32_t CpuPlace::* unit) {
  IdSet units, wide = own;
  for (const auto& [cpu, place] : layout)
    if (own.contains(cpu)) units.insert(place.*unit);
  for (const auto& [cpu, place] : layout)
    if (cpus.contains(cpu) && units.contains(place.*unit)) wide.insert(cpu);
  return wide;
}

IdSet cpus_of_domains(const IdSet& domains, const CpuLayout& layout) {
  IdSet out;
  for (const auto& [cpu, place] : layout)
    if (domains.contains(place.ldom)) out.insert(cpu);
  return out;
}

}  // namespace

Result<CpuBind> parse_cpu_bind(std::string_view text) {
  CpuBind bind;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    const bool verbose = iequals(word, "verbose") || iequals(word, "v");
    if (iequals(word, "one_thread"))
      bind.one_thread = true;
    else if (verbose || iequals(word, "quiet") || iequals(word, "q"))
      bind.verbose = verbose;
    else
      break;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  if (rest.empty()) return bind;
  for (const Name& name : kPlain)
    if (iequals(rest, name.text)) {
      bind.kind = name.kind;
      return bind;
    }
  for (const ListName& name : kLists) {
    if (!istarts_with(rest, name.text)) continue;
    auto list = parse_bind_list(rest.substr(name.text.size()), name.masks);
    if (!list) break;
    bind.kind = name.kind;
    bind.list = std::move(*list);
    return bind;
  }
  return fail("unrecognized --cpu-bind argument \"" + std::string(text) + "\"");
}

Result<std::string> parse_default_cpu_bind(std::string_view text) {
  if (text.empty() || iequals(text, "off")) return std::string();
  constexpr std::array<std::string_view, 5> kKinds{"none", "sockets", "ldoms", "cores", "threads"};
  std::string_view word = text;
  const bool verbose = istarts_with(word, "verbose,");
  if (verbose) word.remove_prefix(std::string_view("verbose,").size());
  for (std::string_view kind : kKinds)
    if (iequals(word, kind) || (kind != "none" && iequals(word, kind.substr(0, kind.size() - 1))))
      return (verbose ? "verbose," : "") + std::string(kind);
  return fail("Invalid input CpuBind=" + std::string(text));
}

namespace {

// The first CPU of each core.
IdSet one_thread_each(const IdSet& cpus, const CpuLayout& layout) {
  IdSet cores, out;
  for (std::uint32_t cpu : cpus.ids()) {
    auto place = layout.find(cpu);
    if (place != layout.end() && cores.contains(place->second.core)) continue;
    if (place != layout.end()) cores.insert(place->second.core);
    out.insert(cpu);
  }
  return out;
}

std::optional<IdSet> all_cpus_of_task(const CpuBind& bind, const CpuLayout& layout,
                                      const IdSet& cpus, BoundTask task, bool automatic) {
  IdSet own = own_cpus(cpus, task);
  switch (bind.kind) {
    case Kind::none:
      return std::nullopt;
    case Kind::unset:
      if (!automatic) return std::nullopt;
      return std::uint64_t{task.tasks} * task.cpus_per_task == cpus.size() ? own : cpus;
    case Kind::rank: {
      const std::vector<std::uint32_t> ids = cpus.ids();
      const std::uint32_t cpu = ids[task.local_id % ids.size()];
      return IdSet::range(cpu, cpu);
    }
    case Kind::threads:
      return own;
    case Kind::cores:
      return widened(own, layout, cpus, &CpuPlace::core);
    case Kind::sockets:
      return widened(own, layout, cpus, &CpuPlace::socket);
    case Kind::ldoms:
      return widened(own, layout, cpus, &CpuPlace::ldom);
    case Kind::list:
      return bind.list[task.local_id % bind.list.size()];
    case Kind::rank_ldom: {
      IdSet domains;
      for (const auto& [cpu, place] : layout) domains.insert(place.ldom);
      if (domains.empty()) return std::nullopt;
      const std::uint32_t domain = domains.ids()[task.local_id % domains.size()];
      return cpus_of_domains(IdSet::range(domain, domain), layout);
    }
    case Kind::ldom_list:
      return cpus_of_domains(bind.list[task.local_id % bind.list.size()], layout);
  }
  return std::nullopt;
}

}  // namespace

std::optional<IdSet> cpus_of_task(const CpuBind& bind, const CpuLayout& layout, const IdSet& cpus,
                                  BoundTask task, bool automatic) {
  if (cpus.empty()) return std::nullopt;
  std::optional<IdSet> own = all_cpus_of_task(bind, layout, cpus, task, automatic);
  if (!bind.one_thread || bind.kind == Kind::none) return own;
  return one_thread_each(own.value_or(cpus), layout);
}

std::string mask_text(const IdSet& bits) {
  std::string digits;
  const std::uint32_t last = bits.empty() ? 0 : bits.max() / 4;
  for (std::uint32_t i = 0; i <= last; ++i) {
    unsigned value = 0;
    for (std::uint32_t bit = 0; bit < 4; ++bit)
      if (bits.contains(i * 4 + bit)) value |= 1u << bit;
    digits.insert(digits.begin(), "0123456789ABCDEF"[value]);
  }
  return "0x" + digits;
}

}  // namespace muster
