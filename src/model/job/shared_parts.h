// SharedParts: what jobs that came lately have in common. Users submit the same again and again, in
// turns with others: equal specifications, texts and dependencies are kept once, and a
// specification is recognised by its address wherever something is remembered about it.
#pragma once

#include <array>

#include "model/job/job.h"

namespace muster {

class SharedParts {
 public:
  void share(Job& job);
  Cow<JobSpec> shared(const Cow<JobSpec>& spec);  // an equal one that is known, or this one

 private:
  void share(Text& text);
  void share(Dependency& dependency);

  std::array<Cow<JobSpec>, 1024> specs_;
  std::array<Text, 1024> texts_;
  std::array<Dependency, 256> dependencies_;
};

}  // namespace muster
