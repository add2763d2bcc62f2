// Stands in for NVIDIA's management library: as many GPUs as NVML_STANDIN_GPUS says (2 without it).
#include <cstdio>
#include <cstdlib>

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};

namespace {
unsigned gpu_count() {
  const char* text = std::getenv("NVML_STANDIN_GPUS");
  return text ? static_cast<unsigned>(std::atoi(text)) : 2;
}
unsigned numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = gpu_count();
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, unsigned** device) {
  if (index >= gpu_count()) return 2;
  *device = &numbers[index];
  return 0;
}
int nvmlDeviceGetName(unsigned*, char* name, unsigned size) {
  std::snprintf(name, size, "Tesla V100-SXM2-16GB");
  return 0;
}
int nvmlDeviceGetMinorNumber(const unsigned* device, unsigned* number) {
  *number = *device;
  return 0;
}
int nvmlDeviceGetMemoryInfo(const unsigned* device, Memory* memory) {
  *memory = {16ull << 30, 15ull << 30, (1ull + *device) << 30};
  return 0;
}
int nvmlDeviceGetUtilizationRates(const unsigned* device, Utilization* utilization) {
  *utilization = {50 + 25 * *device, 10};
  return 0;
}
int nvmlDeviceGetPowerUsage(const unsigned*, unsigned* milliwatts) {
  *milliwatts = 70000;
  return 0;
}
}
