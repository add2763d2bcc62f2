// Reads AMD's GPUs from the files of the amdgpu driver in sysfs; no library is needed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text/strings.h"
#include "io/hardware/gpu.h"

namespace muster::io {
namespace {

constexpr std::string_view kVendor = "0x1002";

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trim(line));
}

std::uint64_t number_in(const std::filesystem::path& path) {
  return parse_number<std::uint64_t>(first_line(path)).value_or(0);
}

class Amd final : public GpuSystem {
 public:
  explicit Amd(const std::string& root) : drm_(root + "/sys/class/drm") {
    std::error_code error;
    std::vector<std::string> nodes;
    for (const auto& entry : std::filesystem::directory_iterator(drm_, error))
      if (entry.path().filename().string().starts_with("renderD"))
        nodes.push_back(entry.path().filename().string());
    std::ranges::sort(nodes);
    for (const std::string& node : nodes) {
      const std::filesystem::path device = drm_ / node / "device";
      if (first_line(device / "vendor") != kVendor) continue;
      std::string product = first_line(device / "product_name");
      if (product.empty()) product = "amd_" + first_line(device / "device");
      gpus_.push_back({.type = gpu_type(product), .file = "/dev/dri/" + node});
    }
  }

  std::vector<Gpu> gpus() const override { return gpus_; }

  std::optional<GpuLoad> load_of(const std::string& file) const override {
    if (std::ranges::find(gpus_, file, &Gpu::file) == gpus_.end()) return std::nullopt;
    const std::filesystem::path device = drm_ / std::filesystem::path(file).filename() / "device";
    return GpuLoad{.percent = static_cast<std::uint32_t>(number_in(device / "gpu_busy_percent")),
                   .memory_kib = number_in(device / "mem_info_vram_used") >> 10,
                   .power_mw = power_uw(device) / 1000};
  }

 private:
  static std::uint64_t power_uw(const std::filesystem::path& device) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(device / "hwmon", error))
      for (const char* file : {"power1_average", "power1_input"})
        if (std::uint64_t power = number_in(entry.path() / file)) return power;
    return 0;
  }

  std::filesystem::path drm_;
  std::vector<Gpu> gpus_;
};

}  // namespace

std::unique_ptr<GpuSystem> open_amd(const std::string& root) { return std::make_unique<Amd>(root); }

}  // namespace muster::io
