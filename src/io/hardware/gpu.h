// GpuSystem: the GPUs of this machine, and how busy each one is. NVIDIA's GPUs are found through
// libnvidia-ml, which is loaded if present; AMD's through sysfs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::io {

struct Gpu {
  std::string type;  // "tesla_v100-sxm2-16gb"
  // "/dev/nvidia0", "/dev/dri/renderD128"; for a part of a GPU (MIG) all files that it needs:
  // "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap3,/dev/nvidia-caps/nvidia-cap4"
  std::string file;
  std::string uuid = {};  // "MIG-...", only for parts, which have no number
};

struct GpuLoad {
  std::uint32_t percent = 0;
  std::uint64_t memory_kib = 0;
  std::uint64_t power_mw = 0;  // 0 = not known
};

class GpuSystem {
 public:
  virtual ~GpuSystem() = default;
  virtual std::vector<Gpu> gpus() const = 0;  // by number
  virtual std::optional<GpuLoad> load_of(const std::string& file) const = 0;
};

// `root`: where /proc, /sys and /dev are.
Result<std::unique_ptr<GpuSystem>> open_nvml(const std::string& library = "libnvidia-ml.so.1",
                                             const std::string& root = "");
std::unique_ptr<GpuSystem> open_amd(const std::string& root = "");

// "Tesla V100-SXM2-16GB" -> "tesla_v100-sxm2-16gb"
std::string gpu_type(std::string_view product);

}  // namespace muster::io
