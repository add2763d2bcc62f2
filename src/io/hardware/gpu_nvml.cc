// Loads NVML with dlopen, so that one program works with and without NVIDIA's driver. The few
// declarations needed are here, so NVIDIA's header is not needed to build.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/strings.h"
#include "io/files.h"
#include "io/hardware/gpu.h"

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
  // Only in drivers that support MIG.
  int (*mig_mode)(Device, unsigned* current, unsigned* pending) = nullptr;
  int (*mig_count)(Device, unsigned*) = nullptr;
  int (*mig_handle)(Device, unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*gpu_instance)(Device, unsigned*) = nullptr;
  int (*compute_instance)(Device, unsigned*) = nullptr;
  bool knows_mig() const {
    return mig_mode && mig_count && mig_handle && uuid && gpu_instance && compute_instance;
  }
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
  Nvml(std::unique_ptr<void, CloseLibrary> handle, Library library, std::string root)
      : handle_(std::move(handle)), library_(library), root_(std::move(root)) {
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
    if (is_divided(device))
      add_parts(device, gpu.file, minor_number);
    else
      gpus_.push_back(std::move(gpu));
  }

  bool is_divided(Device device) const {
    unsigned current = 0, pending = 0;
    return library_.knows_mig() && library_.mig_mode(device, &current, &pending) == kSuccess &&
           current != 0;
  }

  void add_parts(Device device, const std::string& file, unsigned minor_number) {
    unsigned most = 0;
    if (library_.mig_count(device, &most) != kSuccess) return;
    for (unsigned i = 0; i < most; ++i) {
      Device part = nullptr;
      char name[96] = {}, uuid[96] = {};
      unsigned gpu_instance = 0, compute_instance = 0;
      if (library_.mig_handle(device, i, &part) != kSuccess) continue;  // not every index is in use
      if (library_.name(part, name, sizeof name) != kSuccess ||
          library_.uuid(part, uuid, sizeof uuid) != kSuccess ||
          library_.gpu_instance(part, &gpu_instance) != kSuccess ||
          library_.compute_instance(part, &compute_instance) != kSuccess)
        continue;
      const std::string instance = fmt::format("{}/proc/driver/nvidia/capabilities/gpu{}/mig/gi{}",
                                               root_, minor_number, gpu_instance);
      gpus_.push_back(
          {.type = gpu_type(name),
           .file = file + capability(instance + "/access") +
                   capability(fmt::format("{}/ci{}/access", instance, compute_instance)),
           .uuid = uuid});
    }
  }

  // ",/dev/nvidia-caps/nvidia-cap3", from the minor number that the driver gives; empty without
  // one.
  static std::string capability(const std::string& path) {
    auto text = read_file(path);
    if (!text) return {};
    constexpr std::string_view kKey = "DeviceFileMinor:";
    auto at = text->find(kKey);
    if (at == text->npos) return {};
    std::string_view rest = std::string_view(*text).substr(at + kKey.size());
    auto number = parse_number<unsigned>(trim(rest.substr(0, rest.find('\n'))));
    return number ? fmt::format(",/dev/nvidia-caps/nvidia-cap{}", *number) : "";
  }

  std::unique_ptr<void, CloseLibrary> handle_;
  Library library_;
  std::string root_;
  std::vector<Gpu> gpus_;
  std::map<std::string, Device> devices_;
};

}  // namespace

Result<std::unique_ptr<GpuSystem>> open_nvml(const std::string& path, const std::string& root) {
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
  find(raw, "nvmlDeviceGetMigMode", library.mig_mode);
  find(raw, "nvmlDeviceGetMaxMigDeviceCount", library.mig_count);
  find(raw, "nvmlDeviceGetMigDeviceHandleByIndex", library.mig_handle);
  find(raw, "nvmlDeviceGetUUID", library.uuid);
  find(raw, "nvmlDeviceGetGpuInstanceId", library.gpu_instance);
  find(raw, "nvmlDeviceGetComputeInstanceId", library.compute_instance);
  if (int error = library.init(); error != kSuccess)
    return fail(fmt::format("NVML cannot be initialised: error {}", error));
  return std::make_unique<Nvml>(std::move(handle), library, root);
}

std::string gpu_type(std::string_view product) {
  std::string type = lower(trim(product));
  std::ranges::replace(type, ' ', '_');
  return type;
}

}  // namespace muster::io
