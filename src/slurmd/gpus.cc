// Finds the node's GPUs, and samples their load.
#include "slurmd/gpus.h"

#include <algorithm>

#include "io/log.h"

namespace muster {
namespace {

std::vector<GresPool> pools_of(const std::vector<io::Gpu>& gpus) {
  std::vector<GresPool> pools;
  for (const io::Gpu& gpu : gpus) {
    auto same = [&](const GresPool& pool) { return pool.type == gpu.type; };
    auto pool = std::ranges::find_if(pools, same);
    if (pool == pools.end())
      pool = pools.insert(
          pools.end(), {.name = "gpu", .type = gpu.type, .indices = {}, .files = {}, .uuids = {}});
    ++pool->count;
    pool->files.emplace_back(gpu.file);
    if (!gpu.uuid.empty()) pool->uuids.emplace_back(gpu.uuid);
  }
  return pools;
}

}  // namespace

void SlurmdGpus::open(const std::string& auto_detect) {
  const bool wants_nvml = auto_detect == "nvml" || auto_detect == "nvidia";
  if (auto_detect == "off") return;
  if (auto_detect == "rsmi") {
    system_ = io::open_amd();
  } else if (auto nvml = io::open_nvml()) {
    system_ = std::move(*nvml);
  } else if (wants_nvml) {
    io::log_error("AutoDetect={}: {}", auto_detect, nvml.error().text());
  }
  if (!system_ || auto_detect.empty()) return;
  detected_ = pools_of(system_->gpus());
  io::log_info("AutoDetect={}: {} GPUs found", auto_detect, system_->gpus().size());
}

void SlurmdGpus::watch(const wire::StepLaunch& launch) {
  if (!system_ || launch.device_files.empty()) return;
  Watched watched{.files = launch.device_files, .node = launch.share.node};
  if (!launch.ranks.empty()) watched.rank = launch.ranks.front();
  watched.last_sample = Clock::now();
  watched_.insert_or_assign(launch.ref, std::move(watched));
}

void SlurmdGpus::sample() {
  std::map<std::string, std::optional<io::GpuLoad>> loads;  // steps may share a device
  const Clock::time_point now = Clock::now();
  for (auto& [step, watched] : watched_) {
    io::GpuLoad sum;
    bool known = false;
    for (const Text& file : watched.files) {
      auto [load, is_new] = loads.try_emplace(file.str());
      if (is_new) load->second = system_->load_of(file.str());
      if (!load->second) continue;
      known = true;
      sum.percent += load->second->percent;
      sum.memory_kib += load->second->memory_kib;
      sum.power_mw += load->second->power_mw;
    }
    if (!known) continue;
    const std::chrono::duration<double> passed = now - watched.last_sample;
    ++watched.samples;
    watched.percents += sum.percent;
    watched.peak_memory_kib = std::max(watched.peak_memory_kib, sum.memory_kib);
    watched.energy_j += static_cast<double>(sum.power_mw) / 1000 * passed.count();
    watched.last_sample = now;
  }
}

void SlurmdGpus::finish(const wire::StepRef& step, Usage& usage) {
  auto found = watched_.find(step);
  if (found == watched_.end()) return;
  if (const Watched& w = found->second; w.samples > 0) {
    usage.gpu_percent.note(w.percents / w.samples, w.node, w.rank);
    usage.gpu_memory_kib.note(w.peak_memory_kib, w.node, w.rank);
    usage.energy_j.note(static_cast<std::uint64_t>(w.energy_j), w.node, w.rank);
  }
  watched_.erase(found);
}

}  // namespace muster
