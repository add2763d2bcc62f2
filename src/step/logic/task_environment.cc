// Sets the variables that a node and a task add to those of the step.
#include "step/logic/task_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text/string_block.h"
#include "base/text/strings.h"
#include "model/binding/gpu_bind.h"

namespace muster {
namespace {

bool is_named(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
}

// The batch shell gets these variables from the node; an srun inside the job would pass them on.
void drop_batch_variables(Environment& environment) {
  const std::string* mark = environment.find("ENVIRONMENT");
  if (!mark || *mark != "ENVIRONMENT=BATCH") return;
  environment.erase("ENVIRONMENT");
  environment.erase("HOSTNAME");
}

// The task's part of the step's list in this variable, which may contain names instead of numbers.
std::string part_of(const Environment& environment, std::string_view name, const IdSet& gpus,
                    const IdSet& own) {
  const std::string* entry = environment.find(name);
  if (!entry) return own.list();
  const std::string_view list = std::string_view(*entry).substr(name.size() + 1);
  const auto names = split(list, ',');
  const auto indices = gpus.ids();
  if (names.size() != indices.size()) return own.list();
  std::string part;
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (own.contains(indices[i])) part += (part.empty() ? "" : ",") + std::string(names[i]);
  return part;
}

IdSet gpus_of_step(const wire::StepLaunch& launch) {
  IdSet gpus;
  for (const GresShare& share : launch.share.gres)
    if (share.name == "gpu") gpus.merge(share.indices);
  return gpus;
}

// "0xC" for bits 2 and 3.
std::string mask_of(const IdSet& bits) {
  std::string digits(bits.empty() ? 1 : bits.max() / 4 + 1, '0');
  for (std::size_t i = 0; i < digits.size(); ++i) {
    std::uint32_t value = 0;
    for (std::uint32_t bit = 0; bit < 4; ++bit)
      if (bits.contains(static_cast<std::uint32_t>(i) * 4 + bit)) value |= 1u << bit;
    digits[digits.size() - 1 - i] = "0123456789ABCDEF"[value];
  }
  return "0x" + digits;
}

// --gpu-bind, --gpus-per-task: the task sees its own part of the step's GPUs.
void bind_gpus(Environment& environment, const wire::StepLaunch& launch, std::uint32_t local_id) {
  if (launch.task.gpu_bind.empty()) return;
  auto bind = parse_gpu_bind(launch.task.gpu_bind);
  if (!bind) return;  // srun has refused it already
  if (bind->kind == GpuBind::Kind::single || bind->kind == GpuBind::Kind::per_task)
    environment.set("SLURMD_TRES_BIND", fmt::format("gpu:{}", launch.task.gpu_bind.view()));
  const IdSet gpus = gpus_of_step(launch);
  auto own = gpus_of_task(*bind, gpus, local_id);
  if (!own) return;
  for (std::string_view name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK", "SLURM_STEP_GPUS"})
    environment.set(name, part_of(environment, name, gpus, *own));
}

// --rendezvous: the task's rank, its rank on the node and the size of the group.
void add_rendezvous_variables(Environment& environment, const wire::StepLaunch& launch,
                              std::uint32_t rank, std::uint32_t local_id) {
  const std::string node = std::to_string(launch.node_index);
  environment.set("RANK", std::to_string(rank));
  environment.set("LOCAL_RANK", std::to_string(local_id));
  environment.set("LOCAL_WORLD_SIZE", std::to_string(launch.ranks.size()));
  environment.set("NODE_RANK", node);
  environment.set("GROUP_RANK", node);
}

}  // namespace

Environment::Environment(std::vector<std::string> entries, std::vector<std::string> defaults) {
  std::set<std::string_view> names;
  auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (const std::string& entry : entries) names.insert(name_of(entry));
  std::erase_if(defaults, [&](const std::string& e) { return names.contains(name_of(e)); });
  entries_ = std::move(defaults);
  std::ranges::move(entries, std::back_inserter(entries_));
}

const std::string* Environment::find(std::string_view name) const {
  auto found =
      std::ranges::find_if(entries_, [&](const std::string& e) { return is_named(e, name); });
  return found == entries_.end() ? nullptr : &*found;
}

void Environment::set(std::string_view name, std::string_view value) {
  std::string entry = fmt::format("{}={}", name, value);
  auto found =
      std::ranges::find_if(entries_, [&](const std::string& e) { return is_named(e, name); });
  if (found == entries_.end())
    entries_.push_back(std::move(entry));
  else
    *found = std::move(entry);
}

void Environment::set_if_missing(std::string_view name, std::string_view value) {
  if (!find(name)) set(name, value);
}

void Environment::erase(std::string_view name) {
  std::erase_if(entries_, [&](const std::string& e) { return is_named(e, name); });
}

Environment node_environment(const StepSetup& setup) {
  const wire::StepLaunch& launch = setup.launch;
  const std::string_view node = setup.node_name;
  Environment environment(launch.environment.strings(),
                          StringBlock(launch.submitted_environment).strings());

  environment.set("SLURMD_NODENAME", node);
  environment.set("SLURM_NODEID", std::to_string(launch.node_index));
  environment.set_if_missing("SLURM_TOPOLOGY_ADDR", node);
  environment.set_if_missing("SLURM_TOPOLOGY_ADDR_PATTERN", "node");
  environment.set_if_missing("SLURM_PRIO_PROCESS", "0");
  environment.set_if_missing("TMPDIR", "/tmp");
  if (!setup.config_file.empty()) environment.set_if_missing("SLURM_CONF", setup.config_file);
  if (!launch.share.cpus.empty() && !is_unallocated(launch.ref.job))
    environment.set_if_missing("SLURM_CPUS_ON_NODE", std::to_string(launch.share.cpus.size()));
  environment.set("SLURM_GTIDS", fmt::format("{}", fmt::join(launch.ranks, ",")));
  if (!setup.stop_notice.empty()) environment.set("MUSTER_STOP_NOTICE", setup.stop_notice);

  if (launch.ref.step == kBatchStep) {
    environment.set("ENVIRONMENT", "BATCH");
    environment.set("HOSTNAME", node);
    environment.set("SLURM_GTIDS", "0");
    return environment;
  }
  drop_batch_variables(environment);
  const std::string step = std::to_string(launch.ref.step.value);
  environment.set("SLURM_STEPID", step);
  environment.set("SLURM_STEP_ID", step);
  environment.set_if_missing("SLURM_STEP_NUM_TASKS", std::to_string(launch.num_tasks));
  return environment;
}

void add_task_variables(Environment& environment, const StepSetup& setup, std::uint32_t local_id) {
  const auto& ranks = setup.launch.ranks;
  const std::uint32_t rank = local_id < ranks.size() ? ranks[local_id] : 0;
  environment.set("SLURM_PROCID", std::to_string(rank));
  environment.set("SLURM_LOCALID", std::to_string(local_id));
  if (setup.launch.task.rendezvous)
    add_rendezvous_variables(environment, setup.launch, rank, local_id);
  bind_gpus(environment, setup.launch, local_id);
}

std::string gpu_bind_line(const wire::StepLaunch& launch, const Environment& environment,
                          std::uint32_t local_id) {
  auto bind = launch.task.gpu_bind.empty() ? fail("") : parse_gpu_bind(launch.task.gpu_bind);
  if (!bind || !bind->verbose || bind->kind == GpuBind::Kind::none) return {};
  const IdSet gpus = gpus_of_step(launch);
  if (gpus.empty()) return {};
  const IdSet own = gpus_of_task(*bind, gpus, local_id).value_or(gpus);
  constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES";
  const std::string* visible = environment.find(kVisible);
  return fmt::format(
      "gpu-bind: usable_gres={}; bit_alloc={}; local_inx=0; global_list={}; local_list={}\n",
      mask_of(own), mask_of(gpus), own.list(), visible ? visible->substr(kVisible.size() + 1) : "");
}

}  // namespace muster
