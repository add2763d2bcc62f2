// srun as the hub between the nodes of a step with MPI tasks: it gathers contributions and passes
// letters on. It has its own thread and connections, so that neither unread output nor unread input
// keeps the tasks from starting.
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
  // A connection to the first of these places, which relays to the others.
  struct Link {
    Section run;
    std::optional<io::Channel> channel;  // none = closed
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
