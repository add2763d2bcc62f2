// job_container.conf: the private directories of jobs (JobContainerType=job_container/tmpfs).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/keys/source.h"

namespace muster::config {

struct JobContainerConf {
  std::string base_path;        // with %h and %n not expanded
  bool auto_base_path = false;  // made where it is missing
  std::vector<std::string> directories{"/tmp", "/dev/shm"};
  std::string init_script;  // run as root before a job's directories are made
};

// Lines that start with NodeName= count for these nodes alone; later lines win.
Result<JobContainerConf> load_job_container_conf(const FileReader& read, const std::string& path,
                                                 const std::string& node_name);

}  // namespace muster::config
