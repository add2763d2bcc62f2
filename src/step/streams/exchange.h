// The exchange between the nodes of a step while its MPI tasks start, through the srun or the node
// that relays for it. Messages wait until the srun has connected.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/loop/poll_set.h"
#include "io/net/channel.h"
#include "step/streams/relay.h"
#include "wire/step_messages.h"
#include "wire/step_setup.h"

namespace muster::step {

class Exchange {
 public:
  using OnGathered = std::function<void(const std::vector<std::string>& parts)>;
  using OnLetter = std::function<void(std::uint32_t from, std::string bytes)>;

  // on_lost: the connection was given up for this reason, and tasks wait for messages that will
  // never come.
  Exchange(const StepSetup& setup, std::function<void(const Error&)> on_lost)
      : setup_(setup), on_lost_(std::move(on_lost)) {}

  void attach(int fd, const wire::AttachRequest& request, io::SessionState session);
  // `done` gets what all places have contributed under this name. Each name is used once.
  void contribute(std::string name, std::vector<std::uint32_t> places, std::string bytes,
                  OnGathered done);
  void contribute_to_all(std::string name, std::string bytes, OnGathered done);
  void send(std::uint32_t place, std::string bytes);
  void set_letter_reader(OnLetter reader) { on_letter_ = std::move(reader); }

  void watch(io::PollSet& set);

 private:
  void post(wire::FromStep message);
  void flush();
  bool has_room_below() const;
  void read();
  void on_frame(std::string_view frame);
  void on_message(wire::ToStep&& message);
  void lose(const Error& why);

  const StepSetup& setup_;
  std::function<void(const Error&)> on_lost_;
  OnLetter on_letter_;
  std::optional<io::Channel> channel_;
  std::uint32_t place_ = 0;       // the number of this node in the srun's list
  std::unique_ptr<Relay> below_;  // the nodes that the srun reaches through this one
  bool held_back_ = false;        // poll does not report whole frames that are in memory
  std::optional<Error> lost_;
  std::vector<wire::FromStep> backlog_;  // until the srun has connected
  std::map<std::string, OnGathered> waits_;
};

}  // namespace muster::step
