// A running step as its srun sees it: a connection to each node, or to each root of a tree of
// nodes. Passes output, input and signals on, until every node has said that its tasks are gone.
// Needs no controller.
#pragma once

#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/line_assembler.h"
#include "base/tree.h"
#include "cli/allocation/exits.h"
#include "cli/srun/allocation.h"
#include "cli/srun/exchange.h"
#include "cli/srun/streams.h"
#include "io/net/channel.h"
#include "wire/step_messages.h"

namespace muster::cli {

class StepRunner {
 public:
  StepRunner(const SrunPlan& plan, JobId job, wire::StepReply reply, SrunController& controller,
             SignalQueue& signals);

  // False if the step could not be joined; errors have been printed.
  bool open_files() { return streams_.open(); }
  bool connect();
  void run();
  // Prints failures that could not be printed while the terminal was in raw mode.
  void tell_ends();
  std::optional<int> left_by() const {
    return left_by_;
    // The signal that ended an observer (sattach).
  }

  // Every node has reported the end of its tasks, so the step is over.
  bool ended_well() const { return all_finished() && !lost_; }

  StepId step() const { return reply_.step; }
  int exit_code() const { return book_.exit_code(); }
  std::uint32_t worst_status() const { return book_.worst_status(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Place {
    wire::StepPlace where;
    bool finished = false;
  };
  struct Link {
    Section run;                         // of places: the first one relays for the others
    std::optional<io::Channel> channel;  // none = lost, or no longer needed
  };

  void say_launch_failed(const Place& place, std::string_view why) const;
  std::span<Place> places_of(const Link& link) {
    return std::span(places_).subspan(link.run.first, link.run.count);
  }

  int poll_timeout_ms() const;
  void poll_once();
  void on_time();
  void read_link(Link& link);
  void hang_up_if_finished(Link& link);
  void on_message(Place& place, wire::FromStep&& message);
  void on_output(wire::TaskOutput&& output);
  void on_started(const wire::TaskStarted& start);
  void on_exited(const wire::TaskExited& exit);
  void on_aborted(const std::string& text);
  void on_cancelled();
  void on_lost(const wire::PlacesLost& lost);
  void lose(Link& link);
  void finish(Place& place);
  void read_input(StepStreams::Input& input);
  void send_input(const StepStreams::Input& input, std::string_view bytes);
  void send_to_rank(std::uint32_t rank, std::string_view bytes);
  void send_window_size();

  void on_signal(int signal);
  void on_interrupt();
  void force_end();
  void say(std::string_view text) const;  // unless -Q is given
  void say_status();
  void terminate();  // with TERM, later KILL
  void end_after_script();
  void abort_step();            // at once
  Seconds say_waiting() const;  // returns how long srun waits for the end of the tasks
  void flush_messages();
  void say_failures(std::string_view node = {});  // of this node, or of all nodes

  void send(Link& link, const wire::ToStep& message);
  void send_all(const wire::ToStep& message);
  bool all_finished() const;
  std::string step_text() const;

  const SrunPlan& plan_;
  JobId job_;
  wire::StepReply reply_;
  SrunController& controller_;
  SignalQueue& signals_;
  std::vector<Place> places_;
  std::vector<Link> links_;
  TaskBook book_;
  std::unique_ptr<ExchangeHub> hub_;
  StepStreams streams_;
  LineAssembler lines_;

  std::optional<Clock::time_point> tell_at_, wait_until_, kill_at_, give_up_at_, reconnect_at_,
      last_interrupt_;
  bool terminating_ = false, aborting_ = false, gave_up_ = false, told_forced_ = false,
       lost_ = false;  // a node was lost before it had reported its end
  std::optional<int> left_by_;
  pid_t parent_ = getppid();
};

}  // namespace muster::cli
