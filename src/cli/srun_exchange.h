// srun as the hub between the nodes of a step with MPI tasks: it gathers what they contribute and
// carries letters between them. A thread of its own, on connections of its own, so that neither a
// stopped reader of srun's output nor unread input keeps the tasks from starting.
#pragma once

#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/srun_gather.h"
#include "io/channel.h"

namespace muster::cli {

class ExchangeHub {
 public:
  // One channel per place, in their order.
  explicit ExchangeHub(std::vector<io::Channel> channels);
  ~ExchangeHub();
  ExchangeHub(const ExchangeHub&) = delete;
  ExchangeHub& operator=(const ExchangeHub&) = delete;

 private:
  void run();
  void read(std::uint32_t place);
  void on_message(std::uint32_t place, wire::FromStep&& message);
  void send(std::uint32_t place, std::string_view frame);

  std::vector<std::optional<io::Channel>> channels_;  // none = gone
  GatherBook book_;
  int stop_ = -1;  // an eventfd
  std::thread thread_;
};

}  // namespace muster::cli
