// CgroupV1: control groups of version 1, with one hierarchy for each controller.
#pragma once

#include "io/cgroup/cgroup.h"

namespace muster::io {

class CgroupV1 final : public Cgroup {
 public:
  explicit CgroupV1(const Confinement& confinement) : confinement_(confinement) {}
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
  std::string mount(std::string_view controller) const;
  std::string step_dir(std::string_view controller) const;
  bool uses(std::string_view controller) const;
  Result<void> limit_memory(const std::string& dir, std::optional<std::uint64_t> bytes,
                            std::optional<std::uint64_t> swap);
  Result<void> limit_cpus();
  Result<void> limit_devices();

  Confinement confinement_;
};

}  // namespace muster::io
