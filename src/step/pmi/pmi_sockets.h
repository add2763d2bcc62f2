// --mpi=pmi2: a socket to each task, on which it speaks PMI-1 or PMI-2 (step/logic/pmi_server.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "step/logic/pmi_server.h"
#include "step/mpi.h"

namespace muster::step {

class PmiSockets : public Mpi {
 public:
  PmiSockets(const StepSetup& setup, MpiHost host);
  ~PmiSockets() override;

  Result<int> add_task(std::size_t task, Environment& environment) override;
  void task_started(std::size_t task) override;
  void watch(io::PollSet& set) override;

 private:
  struct Line {
    int ours = -1, theirs = -1;
    std::string unsent;
  };

  void read(std::size_t task);
  void flush(Line& line);
  void act(PmiTurn turn);

  const StepSetup& setup_;
  MpiHost host_;
  PmiServer server_;
  std::vector<Line> lines_;
  std::uint32_t fences_ = 0;
};

}  // namespace muster::step
