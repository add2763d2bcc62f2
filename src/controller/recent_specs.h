// RecentSpecs: what jobs that came lately ask for. Many users submit the same again and again, in
// turns with others; equal specifications are one, and are recognised by their address wherever
// something is remembered about them.
#pragma once

#include <array>

#include "base/cow.h"
#include "model/job_spec.h"

namespace muster::controller {

class RecentSpecs {
 public:
  // An equal one that is known, or this one, which shares its texts with one that is similar.
  Cow<JobSpec> shared(Cow<JobSpec> spec);

 private:
  std::array<Cow<JobSpec>, 256> slots_;
};

}  // namespace muster::controller
