// Connections to slurmds of other nodes, made on threads with the rights of the job's user: a node
// that does not answer delays nothing else.
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
      std::pair<std::size_t, Result<io::Channel>>;  // the number of the call, and its result

  Dials(const StepSetup& setup, std::vector<Call> calls);
  ~Dials();  // gives up calls that are under way
  Dials(const Dials&) = delete;
  Dials& operator=(const Dials&) = delete;

  int fd() const;  // readable when take() has something
  std::vector<Made> take();

 private:
  struct Shared;  // shared with the threads, which may outlive this object
  std::shared_ptr<Shared> shared_;
};

}  // namespace muster::step
