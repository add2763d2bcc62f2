// What SchedulerParameters and the keys of preemption come to. Their values were checked as they
// were read.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/slurm_conf.h"
#include "model/cluster.h"

namespace muster::config {

void set_scheduling(const SlurmConf& slurm, Settings& settings);

// PriorityWeightTRES: "CPU=1000,Mem=0.5,GRES/gpu=3000". Nothing for what is none.
std::optional<std::vector<std::pair<Text, double>>> parse_tres_weights(std::string_view text);

}  // namespace muster::config
