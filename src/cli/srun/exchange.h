// srun as the hub between the nodes of a step with MPI tasks: it gathers what they contribute and
// carries letters between them. It has its own thread and connections, so that neither a
// stopped reader of srun's output nor unread input keeps the tasks from starting.
#pragma once

#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/tree.h"
#include "cli/srun/gather.h"
#include "io/net/channel.h"

namespace muster::cli {

class ExchangeHub {
 public:
  // To the first of these places, which passes on what is for the others.
  struct Link {
    Section run;
    std::optional<io::Channel> channel;  // none = gone
  };
  explicit ExchangeHub(std::vector<Link> links);
  ~ExchangeHub();
  ExchangeHub(const ExchangeHub&) = delete;
  ExchangeHub& operator=(const ExchangeHub&) = delete;

 private:
  void run();
  void serve(Link& link, short happened);
  void read(Link& link);
  void on_message(std::uint32_t place, wire::FromStep&& message);
  static void send(Link& link, std::string_view frame);

  std::vector<Link> links_;
  GatherBook book_;
  int stop_ = -1;  // an eventfd
  std::thread thread_;
};

}  // namespace muster::cli
