// scontrol write config: the configuration in force as a slurm.conf.
#pragma once

#include <string>

#include "cli/scontrol_session.h"

namespace muster::cli {

// Pure: records in, text out. The time of the nodes stands in the heading; QoS lines are those of
// the controller's own file.
std::string config_file_text(const wire::ConfigReply& config,
                             const std::vector<std::string>& qos_lines,
                             const wire::NodesReply& nodes,
                             const wire::PartitionsReply& partitions);
// The QoS lines of a slurm.conf.
std::vector<std::string> qos_lines_of(std::string_view slurm_conf);

// `path`: empty = beside the file that the controller reads. The time is added to the name.
void write_config(ScontrolSession& session, std::string path);

}  // namespace muster::cli
