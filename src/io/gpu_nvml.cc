// NVML through dlopen: one program serves machines with and without NVIDIA's driver. The few
// declarations needed of its interface are here; its own header is not required to build.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "io/gpu.h"

namespace muster::io {
namespace {

using Device = struct nvmlDevice_st*;
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;  // percent
};
constexpr int kSuccess = 0;

struct Library {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*minor_number)(Device, unsigned*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;  // milliwatts
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};

class Nvml final : public GpuSystem {
 public:
  Nvml(std::unique_ptr<void, CloseLibrary> handle, Library library)
      : handle_(std::move(handle)), library_(library) {
    unsigned count = 0;
    if (library_.count(&count) != kSuccess) return;
    for (unsigned i = 0; i < count; ++i) add(i);
  }
  ~Nvml() override { library_.shutdown(); }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::vector<Gpu> gpus() const override { return gpus_; }

  std::optional<GpuLoad> load_of(const std::string& file) const override {
    auto found = devices_.find(file);
    if (found == devices_.end()) return std::nullopt;
    GpuLoad load;
    Utilization utilization{};
    Memory memory{};
    unsigned milliwatts = 0;
    if (library_.utilization(found->second, &utilization) == kSuccess)
      load.percent = utilization.gpu;
    if (library_.memory(found->second, &memory) == kSuccess) load.memory_kib = memory.used >> 10;
    if (library_.power && library_.power(found->second, &milliwatts) == kSuccess)
      load.power_mw = milliwatts;
    return load;
  }

 private:
  void add(unsigned index) {
    Device device = nullptr;
    unsigned minor_number = index;
    char name[96] = {};
    if (library_.handle(index, &device) != kSuccess) return;
    if (library_.name(device, name, sizeof name) != kSuccess) return;
    if (library_.minor_number(device, &minor_number) != kSuccess) return;
    Gpu gpu{.type = gpu_type(name), .file = fmt::format("/dev/nvidia{}", minor_number)};
    devices_.emplace(gpu.file, device);
    gpus_.push_back(std::move(gpu));
  }

  std::unique_ptr<void, CloseLibrary> handle_;
  Library library_;
  std::vector<Gpu> gpus_;
  std::map<std::string, Device> devices_;
};

}  // namespace

Result<std::unique_ptr<GpuSystem>> open_nvml(const std::string& path) {
  std::unique_ptr<void, CloseLibrary> handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle) return fail(fmt::format("NVML is not there: {}", dlerror()));
  Library library;
  void* raw = handle.get();
  const bool complete = find(raw, "nvmlInit_v2", library.init) &&
                        find(raw, "nvmlShutdown", library.shutdown) &&
                        find(raw, "nvmlDeviceGetCount_v2", library.count) &&
                        find(raw, "nvmlDeviceGetHandleByIndex_v2", library.handle) &&
                        find(raw, "nvmlDeviceGetName", library.name) &&
                        find(raw, "nvmlDeviceGetMinorNumber", library.minor_number) &&
                        find(raw, "nvmlDeviceGetMemoryInfo", library.memory) &&
                        find(raw, "nvmlDeviceGetUtilizationRates", library.utilization);
  if (!complete) return fail(fmt::format("{} lacks functions of NVML", path));
  find(raw, "nvmlDeviceGetPowerUsage", library.power);
  if (int error = library.init(); error != kSuccess)
    return fail(fmt::format("NVML cannot be initialised: error {}", error));
  return std::make_unique<Nvml>(std::move(handle), library);
}

std::string gpu_type(std::string_view product) {
  std::string type = lower(trim(product));
  std::ranges::replace(type, ' ', '_');
  return type;
}

}  // namespace muster::io
