// scontrol write config: the configuration in force as a slurm.conf.
#pragma once

#include <string>

#include "cli/scontrol/session.h"

namespace muster::cli {

// Pure: records in, text out. The heading contains the time of the nodes. QoS lines are copied from
// the controller's own file.
std::string config_file_text(const wire::ConfigReply& config,
                             const std::vector<std::string>& qos_lines,
                             const wire::NodesReply& nodes,
                             const wire::PartitionsReply& partitions);
// The value of a key; empty if it has none.
std::string config_setting(const wire::ConfigReply& config, std::string_view key);
// The QoS lines of a slurm.conf.
std::vector<std::string> qos_lines_of(std::string_view slurm_conf);

// `path`: empty = next to the file that the controller reads. The time is added to the name.
void write_config(ScontrolSession& session, std::string path);

}  // namespace muster::cli
