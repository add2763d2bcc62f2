// Replaces NVIDIA's management library: it reports as many GPUs as NVML_STANDIN_GPUS says (default:
// 2). With NVML_STANDIN_MIG=N, the first GPU is divided into N parts.
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

unsigned part_count() {
  const char* text = std::getenv("NVML_STANDIN_MIG");
  return text ? static_cast<unsigned>(std::atoi(text)) : 0;
}
constexpr unsigned kParts = 7;
unsigned parts[kParts] = {0, 1, 2, 3, 4, 5, 6};
bool is_part(const unsigned* device) { return device >= parts && device < parts + kParts; }
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
int nvmlDeviceGetName(unsigned* device, char* name, unsigned size) {
  if (is_part(device))
    std::snprintf(name, size, "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
  else
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
int nvmlDeviceGetMigMode(const unsigned* device, unsigned* current, unsigned* pending) {
  *current = *pending = *device == 0 && part_count() > 0 ? 1 : 0;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(const unsigned*, unsigned* count) {
  *count = kParts;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(const unsigned*, unsigned index, unsigned** device) {
  if (index >= part_count()) return 6;  // not found
  *device = &parts[index];
  return 0;
}
int nvmlDeviceGetUUID(const unsigned* device, char* uuid, unsigned size) {
  std::snprintf(uuid, size, "%s-0000-%u", is_part(device) ? "MIG" : "GPU", *device);
  return 0;
}
int nvmlDeviceGetGpuInstanceId(const unsigned* device, unsigned* id) {
  *id = *device + 7;
  return 0;
}
int nvmlDeviceGetComputeInstanceId(const unsigned*, unsigned* id) {
  *id = 0;
  return 0;
}
int nvmlDeviceGetPowerUsage(const unsigned*, unsigned* milliwatts) {
  *milliwatts = 70000;
  return 0;
}
}
