// Chooses the CPUs of a task, and prints the lines of --cpu-bind=verbose.
#include "step/tasks/affinity.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/text/strings.h"

namespace muster::step {
namespace {

std::optional<std::string> read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// How a binding is shown: as requested if the step has all CPUs of the node, otherwise as the
// resulting masks.
struct Shown {
  std::string_view label;
  std::string type, list;
};

struct Word {
  std::string_view text, label;
};
constexpr Word kWords[] = {{"none", "NONE"},        {"no", "NONE"},          {"rank", "RANK"},
                           {"rank_ldom", "LDRANK"}, {"map_cpu:", "MAP "},    {"mask_cpu:", "MASK"},
                           {"map_ldom:", "LDMAP "}, {"mask_ldom:", "LDMASK"}};

std::optional<Shown> as_asked(std::string_view text) {
  while (istarts_with(text, "v") || istarts_with(text, "q")) {
    const auto comma = text.find(',');
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  for (const Word& word : kWords) {
    const bool has_list = word.text.ends_with(':');
    if (has_list ? !istarts_with(text, word.text) : !iequals(text, word.text)) continue;
    std::vector<std::string> entries;
    for (std::string_view entry : split(text.substr(word.text.size()), ','))
      entries.emplace_back(istarts_with(entry, "0x") ? entry.substr(2) : entry);
    const std::string_view type = word.text == "no" ? "none" : word.text;
    return Shown{word.label, std::string(type), has_list ? join(entries, ",") : ""};
  }
  return std::nullopt;
}

void add_variables(const Shown& shown, bool verbose, Environment& environment) {
  const std::string_view loudness = verbose ? "verbose" : "quiet";
  environment.set("SLURM_CPU_BIND", fmt::format("{},{}{}", loudness, shown.type, shown.list));
  environment.set("SLURM_CPU_BIND_VERBOSE", loudness);
  environment.set("SLURM_CPU_BIND_TYPE", shown.type);
  environment.set("SLURM_CPU_BIND_LIST", shown.list);
}

// Slurm.conf may give a node more CPUs than its machine has.
bool are_here(const IdSet& cpus, const CpuLayout& layout) {
  return std::ranges::all_of(cpus.ids(), [&](std::uint32_t cpu) { return layout.contains(cpu); });
}

}  // namespace

CpuLayout read_cpu_layout() {
  const std::string root = "/sys/devices/system/";
  CpuLayout layout;
  auto online = IdSet::parse(read_line(root + "cpu/online").value_or(""));
  if (!online) return layout;
  for (std::uint32_t cpu : online->ids()) {
    const std::string topology = fmt::format("{}cpu/cpu{}/topology/", root, cpu);
    auto number = [&](const char* name) {
      return parse_number<std::uint32_t>(read_line(topology + name).value_or("0")).value_or(0);
    };
    constexpr std::uint32_t kCoresPerSocket = 1u << 16;  // core ids start again on each socket
    const std::uint32_t socket = number("physical_package_id");
    layout[cpu] = {.core = socket * kCoresPerSocket + number("core_id"), .socket = socket};
  }
  auto domains = IdSet::parse(read_line(root + "node/online").value_or(""));
  if (!domains) return layout;
  for (std::uint32_t domain : domains->ids()) {
    auto cpus =
        IdSet::parse(read_line(fmt::format("{}node/node{}/cpulist", root, domain)).value_or(""));
    if (!cpus) continue;
    for (auto& [cpu, place] : layout)
      if (cpus->contains(cpu)) place.ldom = domain;
  }
  return layout;
}

TaskBinding bind_task(const StepSetup& setup, std::uint32_t local_id, Environment& environment) {
  const wire::StepLaunch& launch = setup.launch;
  const bool is_batch = launch.ref.step == kBatchStep;
  auto bind = is_batch ? CpuBind{} : parse_cpu_bind(launch.task.cpu_bind);
  if (!bind) return {};  // srun has refused it already
  const bool unbound = bind->kind == CpuBind::Kind::none;
  if ((unbound || bind->kind == CpuBind::Kind::unset) && !setup.binds_tasks) return {};
  const CpuLayout layout = read_cpu_layout();
  const bool has_all = launch.share.cpus.size() >= layout.size();
  TaskBinding to_step;  // it may only use its own CPUs
  if (!has_all && are_here(launch.share.cpus, layout)) to_step.cpus = launch.share.cpus;
  if (is_batch) return to_step;
  const auto tasks = static_cast<std::uint32_t>(launch.ranks.size());
  Shown shown{"MASK", "mask_cpu:", {}};
  TaskBinding binding{.cpus = std::nullopt, .verbose = bind->verbose};
  if (unbound && to_step.cpus) {
    binding.cpus = to_step.cpus;
    shown.list = mask_text(*to_step.cpus);
  }
  for (std::uint32_t task = 0; task < tasks && !unbound; ++task) {
    auto cpus = cpus_of_task(*bind, layout, launch.share.cpus, {task, tasks, launch.cpus_per_task},
                             setup.binds_tasks);
    if (!cpus) return binding;
    if (task > 0) shown.list += ',';
    shown.list += mask_text(*cpus);
    if (task == local_id) binding.cpus = std::move(cpus);
  }
  if (has_all) shown = as_asked(launch.task.cpu_bind).value_or(shown);
  binding.label = shown.label;
  add_variables(shown, bind->verbose, environment);
  return binding;
}

void apply_binding(const TaskBinding& binding, const StepSetup& setup, std::uint32_t local_id) {
  auto say = [&](const std::string& result) {
    if (!binding.verbose) return;
    const std::string line = fmt::format("cpu-bind={} - {}, task {:2} {:2} [{}]: mask {}\n",
                                         binding.label, setup.node_name.view(),
                                         setup.launch.ranks[local_id], local_id, getpid(), result);
    dprintf(2, "%s", line.c_str());
  };
  if (!binding.cpus) return say(binding.label == "NULL" ? "not set" : "0x0");
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (std::uint32_t cpu : binding.cpus->ids())
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &mask);
  const bool set = sched_setaffinity(0, sizeof mask, &mask) == 0;
  if (!set)
    dprintf(2, "%s: error: task %u cannot be bound to CPUs %s: %s\n", setup.program.str().c_str(),
            setup.launch.ranks[local_id], binding.cpus->text().c_str(), std::strerror(errno));
  say(mask_text(*binding.cpus) + (set ? " set" : " FAILED"));
}

}  // namespace muster::step
