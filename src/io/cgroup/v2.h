// CgroupV2: control groups of version 2, with one hierarchy for all controllers.
#pragma once

#include "io/cgroup/cgroup.h"

namespace muster::io {

class CgroupV2 final : public Cgroup {
 public:
  explicit CgroupV2(const Confinement& confinement);
  Result<void> make();

  Result<void> enter() const override;
  std::vector<pid_t> processes() const override;
  void kill() override;
  Result<void> freeze(bool frozen) override;
  std::uint64_t oom_kills() const override;
  std::uint64_t memory_peak_kib() const override;
  std::string memory_path() const override { return "/" + confinement_.step_path.str(); }
  void remove() override;

 private:
  Result<void> delegate_controllers();
  Result<void> limit_memory(const std::string& dir, std::optional<std::uint64_t> bytes,
                            std::optional<std::uint64_t> swap);

  Confinement confinement_;
  std::string job_dir_, step_dir_;
};

// Forbids processes of this group to open these device files, with a BPF program, because version 2
// has no device controller.
Result<void> deny_devices(const std::string& group_dir, const std::vector<Text>& devices);

}  // namespace muster::io
