// The tasks' streams and the sruns that read and feed them. Output waits in the pipes until the
// first srun has attached, is slowed down to what the attached ones take, and is dropped when they
// have gone. The first one takes the tasks along if it goes before they have ended.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/line_assembler.h"
#include "io/loop/poll_set.h"
#include "io/net/channel.h"
#include "step/streams/relay.h"
#include "step/tasks/tasks.h"
#include "wire/step_messages.h"
#include "wire/step_setup.h"

namespace muster::step {

// Closes what is open.
void close_fd(int& fd);

class Stdio {
 public:
  // on_signal: what an srun asks to be sent to the tasks. measure: what they have used so far.
  Stdio(const StepSetup& setup, std::function<void(int)> on_signal,
        std::function<wire::StepUsage()> measure);
  Stdio(const Stdio&) = delete;
  ~Stdio();

  // `labelled`: files that what comes out of the pipes is written to, line by line.
  void add_task(const Task& task, const TaskPipes& pipes, const TaskFiles& labelled);
  void task_ended(const Task& task);
  // Checks the key; `tasks` are told to the newcomer as they stand.
  void attach(int fd, const wire::AttachRequest& request, io::SessionState session,
              const std::vector<Task>& tasks);
  // A line of slurmstepd's own, for the sruns' stderr.
  void say(std::string_view text, bool ends_step = false);
  void abort(std::string_view text);  // a task has asked for the end of the whole step

  bool had_client() const { return had_client_; }
  bool has_client() const;
  // Every stream has ended and what they held was queued or dropped.
  bool drained() const;
  bool flushed() const;
  bool relays() const;  // for nodes that have not finished
  void finish();        // queues StepFinished
  void drop_output();   // no srun came to read it

  void watch(io::PollSet& set);

 private:
  struct Input {
    int fd = -1;
    std::string pending;
    bool ends = false;    // close once pending is written
    bool closed = false;  // the task takes no more; what still comes is dropped
  };
  struct Output {
    std::uint32_t rank = 0;
    bool is_stderr = false;
    int fd = -1;
    int file = kToClient;
    std::string unwritten = {};  // that the file does not take now; nothing is read meanwhile
  };
  struct Client {
    io::Channel channel;
    std::uint32_t place = 0;  // as it calls this node
    bool wants_output = true;
    bool broken = false;
    bool only_watches = false;  // sstat
    bool owns = false;          // the srun that started the step, or the node that relays for it
    bool held_back = false;     // frames of it are in memory, unread
    std::unique_ptr<Relay> below = {};  // the nodes that it reaches through this one
  };

  void send(Client& client, wire::FromStep message);
  void send_frame(Client& client, std::string_view frame);
  void keep(wire::TaskOutput&& message);
  wire::FromStep send_all(wire::FromStep message, bool is_output = false);
  void read_output(Output& output);
  void add_labelled(Output& output, std::string bytes);
  static void write_labelled(Output& output);
  void read_client(Client& client);
  void read_held_back();
  Result<void> check(const Client& client, Uid caller, const wire::AttachRequest& request) const;
  void join_nodes_below(Client& client, const wire::AttachRequest& request);
  void feed(const wire::TaskInput& input);
  void write_input(Input& input);
  void close_input(Input& input);
  void set_window(const wire::WindowSize& size);
  void remove_broken();
  std::size_t queued_bytes() const;
  std::size_t pending_input_bytes() const;  // what was read and neither tasks nor nodes have taken

  const StepSetup& setup_;
  std::function<void(int)> on_signal_;
  std::function<wire::StepUsage()> measure_;
  std::map<std::uint32_t, Input> inputs_;  // by rank
  std::vector<Output> outputs_;
  LineAssembler labelled_lines_{{.label = true}};
  std::deque<wire::TaskOutput> recent_;  // what a newcomer is shown first
  std::size_t recent_bytes_ = 0;
  std::list<Client> clients_;  // handlers of one turn refer to them while others attach
  wire::WindowSize window_;    // the last one told
  bool had_client_ = false;
  bool drops_output_ = false;
  bool finished_ = false;
};

}  // namespace muster::step
