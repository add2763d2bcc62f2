// The words of SlurmctldParameters that bound what one user may ask of the controller.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/keys/source.h"
#include "config/slurm_conf.h"

namespace muster::config {

struct ControllerWords {
  bool rl_enable = false;
  std::uint32_t rl_bucket_size = 30, rl_refill_rate = 2, rl_refill_period = 1, rl_table_size = 8192,
                rl_log_freq = 0;
  std::uint32_t max_user_connections = 0;  // 0 = a quarter of those that there may be
};

// Numbers that are none, or too large or small.
Result<void> check_controller_words(const Location& at, const Setting& setting);
// REQUIRES: they were checked.
ControllerWords controller_words(const SlurmConf& conf);

}  // namespace muster::config
