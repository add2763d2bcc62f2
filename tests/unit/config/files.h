// Configuration files in memory.
#pragma once

#include <map>
#include <string>

#include "config/keys/source.h"

namespace muster::config {

inline FileReader files(std::map<std::string, std::string> contents) {
  return [contents = std::move(contents)](const std::string& path) -> Result<std::string> {
    auto found = contents.find(path);
    if (found == contents.end()) return fail(path + ": No such file or directory");
    return found->second;
  };
}

inline const std::string kHead = "ClusterName=Test\nSlurmctldHost=ctl(10.0.0.1)\n";

}  // namespace muster::config
