// The tasks' streams, and the sruns that read and feed them. Output waits in the pipes until the
// first srun has attached; then it is slowed down to what the sruns take, and is dropped when all
// have gone. If the first srun leaves before the tasks have ended, the tasks are ended.
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
  // on_signal: an srun asks to signal the tasks. measure: returns what they have used so far.
  Stdio(const StepSetup& setup, std::function<void(int)> on_signal,
        std::function<wire::StepUsage()> measure);
  Stdio(const Stdio&) = delete;
  ~Stdio();

  // `labelled`: files to which output of the pipes is written line by line.
  void add_task(const Task& task, const TaskPipes& pipes, const TaskFiles& labelled);
  void task_ended(const Task& task);
  // Checks the key, and reports the state of `tasks` to the new client.
  void attach(int fd, const wire::AttachRequest& request, io::SessionState session,
              const std::vector<Task>& tasks);
  // Sends a line of slurmstepd itself to the sruns' stderr.
  void say(std::string_view text, bool ends_step = false);
  void abort(std::string_view text);  // a task has asked to end the whole step

  bool had_client() const { return had_client_; }
  bool has_client() const;
  // All streams have ended, and their contents were queued or dropped.
  bool drained() const;
  bool flushed() const;
  bool relays() const;  // to nodes that have not finished
  void finish();        // queues StepFinished
  void drop_output();   // no srun came to read it

  void watch(io::PollSet& set);

 private:
  struct Input {
    int fd = -1;
    std::string pending;
    bool ends = false;    // close it once `pending` is written
    bool closed = false;  // the task takes no more; further input is dropped
  };
  struct Output {
    std::uint32_t rank = 0;
    bool is_stderr = false;
    int fd = -1;
    int file = kToClient;
    std::string unwritten = {};  // waits until the file takes it; nothing is read meanwhile
  };
  struct Client {
    io::Channel channel;
    std::uint32_t place = 0;  // the client's number for this node
    bool wants_output = true;
    bool broken = false;
    bool only_watches = false;  // sstat
    bool owns = false;          // the srun that started the step, or a node that relays for it
    bool held_back = false;     // frames of it wait in memory
    std::unique_ptr<Relay> below = {};  // nodes that the client reaches through this one
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
  std::size_t pending_input_bytes() const;  // input that neither tasks nor nodes have taken yet

  const StepSetup& setup_;
  std::function<void(int)> on_signal_;
  std::function<wire::StepUsage()> measure_;
  std::map<std::uint32_t, Input> inputs_;  // by rank
  std::vector<Output> outputs_;
  LineAssembler labelled_lines_{{.label = true}};
  std::deque<wire::TaskOutput> recent_;  // sent first to a new client
  std::size_t recent_bytes_ = 0;
  std::list<Client> clients_;  // a list, because others attach while handlers refer to them
  wire::WindowSize window_;    // as last reported
  bool had_client_ = false;
  bool drops_output_ = false;
  bool finished_ = false;
};

}  // namespace muster::step
