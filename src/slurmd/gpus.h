// This node's GPUs: found automatically if gres.conf says AutoDetect, and sampled for the steps
// that hold them.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "io/hardware/gpu.h"
#include "model/job/step.h"
#include "model/node/resources.h"
#include "wire/node_messages.h"

namespace muster {

class SlurmdGpus {
 public:
  // "nvml", "rsmi", ... as in gres.conf. GPUs are sampled even if it is empty.
  void open(const std::string& auto_detect);
  const std::vector<GresPool>& detected() const { return detected_; }  // one for each type

  void watch(const wire::StepLaunch& launch);
  bool watches() const { return !watched_.empty(); }
  void sample();
  // Adds the load of the step's GPUs to its usage, and stops sampling them.
  void finish(const wire::StepRef& step, Usage& usage);

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    std::vector<Text> files;
    NodeId node;
    std::uint32_t rank = 0;  // the rank to which the step's GPUs are attributed
    std::uint64_t samples = 0, percents = 0, peak_memory_kib = 0;
    double energy_j = 0;
    Clock::time_point last_sample;
  };

  std::unique_ptr<io::GpuSystem> system_;
  std::vector<GresPool> detected_;
  std::map<wire::StepRef, Watched> watched_;
};

}  // namespace muster
