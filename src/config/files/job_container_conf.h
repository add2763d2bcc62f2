// job_container.conf: the private directories of jobs (JobContainerType=job_container/tmpfs).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/keys/source.h"

namespace muster::config {

struct JobContainerConf {
  std::string base_path;        // %h and %n are not expanded yet
  bool auto_base_path = false;  // creates the directory if it is missing
  std::vector<std::string> directories{"/tmp", "/dev/shm"};
  std::string init_script;  // run as root before a job's directories are created
};

// Lines that start with NodeName= apply to these nodes only; later lines win.
Result<JobContainerConf> load_job_container_conf(const FileReader& read, const std::string& path,
                                                 const std::string& node_name);

}  // namespace muster::config
