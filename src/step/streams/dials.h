// Connections with the slurmds of other nodes, made with the job's user's rights on threads of
// their own: a node that does not answer delays nothing else.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/net/channel.h"
#include "wire/step_messages.h"
#include "wire/step_setup.h"

namespace muster::step {

class Dials {
 public:
  struct Call {
    wire::Branch node;
    std::string first_frame;  // sent once it is connected
  };
  using Made =
      std::pair<std::size_t, Result<io::Channel>>;  // the call's number and what came of it

  Dials(const StepSetup& setup, std::vector<Call> calls);
  ~Dials();  // what is still on its way is given up
  Dials(const Dials&) = delete;
  Dials& operator=(const Dials&) = delete;

  int fd() const;  // readable once take() has something
  std::vector<Made> take();

 private:
  struct Shared;  // with the threads, which may outlive this
  std::shared_ptr<Shared> shared_;
};

}  // namespace muster::step
