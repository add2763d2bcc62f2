// GPUs found through a fake NVML and a fake sysfs.
#include "io/hardware/gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::io {
namespace {

TEST(Nvml, ListsGpusWithTypeAndFile) {
  auto nvml = open_nvml(NVML_STANDIN);
  ASSERT_TRUE(nvml) << nvml.error().text();
  const std::vector<Gpu> gpus = (*nvml)->gpus();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].type, "tesla_v100-sxm2-16gb");
  EXPECT_EQ(gpus[1].file, "/dev/nvidia1");
}

TEST(Nvml, ListsThePartsOfADividedGpu) {
  char pattern[] = "/tmp/muster_mig.XXXXXX";
  const std::string root = mkdtemp(pattern);
  const std::string instance = root + "/proc/driver/nvidia/capabilities/gpu0/mig/gi8";
  std::filesystem::create_directories(instance + "/ci0");
  std::ofstream(instance + "/access") << "DeviceFileMinor: 75\nDeviceFileMode: 292\n";
  std::ofstream(instance + "/ci0/access") << "DeviceFileMinor: 76\nDeviceFileMode: 292\n";
  setenv("NVML_STANDIN_MIG", "2", 1);
  auto nvml = open_nvml(NVML_STANDIN, root);
  unsetenv("NVML_STANDIN_MIG");
  std::filesystem::remove_all(root);
  ASSERT_TRUE(nvml) << nvml.error().text();
  const std::vector<Gpu> gpus = (*nvml)->gpus();
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(gpus[1].type, "nvidia_a100-sxm4-40gb_mig_1g.5gb");
  EXPECT_EQ(gpus[1].uuid, "MIG-0000-1");
  EXPECT_EQ(gpus[1].file,
            "/dev/nvidia0,/dev/nvidia-caps/nvidia-cap75,/dev/nvidia-caps/nvidia-cap76");
  EXPECT_EQ(gpus[0].file, "/dev/nvidia0") << "the driver tells no capabilities of this one";
  EXPECT_EQ(gpus[2].file, "/dev/nvidia1");
  EXPECT_EQ(gpus[2].uuid, "");
}

TEST(Nvml, TellsHowBusyAGpuIs) {
  auto nvml = open_nvml(NVML_STANDIN);
  ASSERT_TRUE(nvml);
  auto load = (*nvml)->load_of("/dev/nvidia1");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->percent, 75u);
  EXPECT_EQ(load->memory_kib, 2u << 20);
  EXPECT_EQ(load->power_mw, 70000u);
  EXPECT_FALSE((*nvml)->load_of("/dev/nvidia7"));
}

TEST(Nvml, IsAnErrorWhereItIsNotThere) { EXPECT_FALSE(open_nvml("libnothing-of-the-kind.so")); }

class AmdTree : public testing::Test {
 protected:
  AmdTree() {
    char pattern[] = "/tmp/muster_amd.XXXXXX";
    root_ = mkdtemp(pattern);
  }
  ~AmdTree() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + "/sys/class/drm/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  std::string root_;
};

TEST_F(AmdTree, FindsTheCardsOfTheVendorOnly) {
  put("renderD129/device/vendor", "0x1002");
  put("renderD129/device/product_name", "Instinct MI210");
  put("renderD128/device/vendor", "0x8086");
  auto amd = open_amd(root_);
  ASSERT_EQ(amd->gpus().size(), 1u);
  EXPECT_EQ(amd->gpus()[0].type, "instinct_mi210");
  EXPECT_EQ(amd->gpus()[0].file, "/dev/dri/renderD129");
}

TEST_F(AmdTree, ReadsLoadMemoryAndPower) {
  put("renderD128/device/vendor", "0x1002");
  put("renderD128/device/device", "0x740f");
  put("renderD128/device/gpu_busy_percent", "42");
  put("renderD128/device/mem_info_vram_used", "1048576");
  put("renderD128/device/hwmon/hwmon3/power1_average", "90000000");
  auto amd = open_amd(root_);
  EXPECT_EQ(amd->gpus()[0].type, "amd_0x740f");
  auto load = amd->load_of("/dev/dri/renderD128");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->percent, 42u);
  EXPECT_EQ(load->memory_kib, 1024u);
  EXPECT_EQ(load->power_mw, 90000u);
}

}  // namespace
}  // namespace muster::io
