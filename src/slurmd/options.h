// slurmd's command line.
#pragma once

#include <string>

#include "base/result.h"

namespace muster {

struct SlurmdOptions {
  bool foreground = false;      // -D
  bool print_hardware = false;  // -C
  bool print_version = false;   // -V
  bool print_help = false;      // -h
  std::string config_file;      // -f
  std::string node_name;        // -N
  std::string log_file;         // -L
  std::string stepd_path;       // -d
  int verbosity = 0;            // number of -v
  int nice = 0;                 // -n
  bool cleanup = false;         // -c: forget ended steps of earlier starts
  bool report_reboot = false;   // -b
  bool dynamic = false;         // -Z: a node that slurm.conf does not name
  std::string dynamic_conf;     // --conf: its description
  bool future = false;          // -F: one of the nodes in state FUTURE
  std::string future_feature;   // a feature that the node must have
};

Result<SlurmdOptions> parse_slurmd_options(int argc, char** argv);
extern const char* const kSlurmdHelp;

}  // namespace muster
