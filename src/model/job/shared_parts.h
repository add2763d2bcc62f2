// SharedParts: stores equal specifications, texts and dependencies of recent jobs only once,
// because users submit similar jobs again and again. Caches can then recognise a specification by
// its address.
#pragma once

#include <array>

#include "model/job/job.h"

namespace muster {

class SharedParts {
 public:
  void share(Job& job);
  Cow<JobSpec> shared(const Cow<JobSpec>& spec);  // a known equal one, or this one

 private:
  std::array<Cow<JobSpec>, 1024> specs_;
  std::array<Text, 1024> texts_;
  std::array<NameList, 64> partitions_;
  std::array<Dependency, 256> dependencies_;
};

}  // namespace muster
