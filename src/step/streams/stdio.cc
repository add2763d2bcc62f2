// The sruns of a step: who may attach, what they are sent, and how far they may fall behind.
#include "step/streams/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/codec/codec.h"
#include "node/attach_rights.h"
#include "step/streams/key.h"

namespace muster::step {
namespace {

constexpr std::size_t kMaxQueuedOutput = 1u << 20;
constexpr std::size_t kMaxPendingInput = 1u << 20;
constexpr std::size_t kMostClients = 256;
constexpr std::ptrdiff_t kMostRelays = 8;  // clients that reach other nodes through this one

}  // namespace

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

Stdio::Stdio(const StepSetup& setup, std::function<void(int)> on_signal,
             std::function<wire::StepUsage()> measure)
    : setup_(setup),
      on_signal_(std::move(on_signal)),
      measure_(std::move(measure)),
      drops_output_(setup.launch.key.empty()) {}

Stdio::~Stdio() {
  for (auto& [rank, input] : inputs_) close_fd(input.fd);
  for (Output& output : outputs_) close_fd(output.fd);
}

void Stdio::add_task(const Task& task, const TaskPipes& pipes, const TaskFiles& labelled) {
  if (pipes.in >= 0) {
    Input& input = inputs_[task.rank];
    input.fd = pipes.in;
    // Input may arrive before the task is there.
    if (setup_.launch.key.empty()) input.ends = true;
    write_input(input);
    if (window_.rows != 0) set_window(window_);
  }
  if (pipes.out >= 0) outputs_.push_back({task.rank, false, pipes.out, labelled.out});
  if (pipes.err >= 0) outputs_.push_back({task.rank, true, pipes.err, labelled.err});
  send_all(wire::TaskStarted{task.rank, static_cast<std::uint32_t>(task.pid)});
}

void Stdio::task_ended(const Task& task) {
  auto input = inputs_.find(task.rank);
  if (input != inputs_.end()) close_input(input->second);
  send_all(wire::TaskExited{task.rank, task.wait_status, task.out_of_memory});
}

void Stdio::attach(int fd, const wire::AttachRequest& request, io::SessionState session,
                   const std::vector<Task>& tasks) {
  const Uid caller = session.peer_uid;
  Client client{io::Channel(fd, std::move(session)), request.place, request.wants_output};
  // A client that neither reads nor writes streams only asks for usage. A batch step accepts only
  // such clients.
  client.only_watches = !request.wants_output && !request.sends_input;
  if (auto allowed = check(client, caller, request); !allowed) {
    send(client, wire::StepMessage{setup_.program.str() + ": error: " + allowed.error().text()});
    return;
  }
  send(client, wire::Attached{static_cast<std::uint32_t>(setup_.launch.ranks.size())});
  for (const Task& task : tasks) {
    if (task.pid == 0) continue;
    send(client, wire::TaskStarted{task.rank, static_cast<std::uint32_t>(task.pid)});
    if (task.ended) send(client, wire::TaskExited{task.rank, task.wait_status, false});
  }
  if (request.wants_output && had_client_)
    for (const wire::TaskOutput& printed : recent_) send(client, printed);
  if (!client.only_watches) {
    if (!had_client_ && !request.sends_input) feed(wire::TaskInput{});
    client.owns = !had_client_;
    had_client_ = true;
  }
  clients_.push_back(std::move(client));
  join_nodes_below(clients_.back(), request);
  read_client(clients_.back());  // frames may have arrived together with the request
}

Result<void> Stdio::check(const Client& client, Uid caller,
                          const wire::AttachRequest& request) const {
  if (!may_attach(caller, setup_.launch.uid, setup_.slurm_user))
    return fail("this step is another user's");
  const Secret& key = client.only_watches ? setup_.launch.watch_key : setup_.launch.key;
  if (key.empty() || !same_key(request.key, key))
    return fail("the key of this step was not proved");
  if (clients_.size() >= kMostClients) return fail("too many are attached to this step");
  if (request.below.branches.empty()) return {};
  if (client.only_watches || std::ranges::count_if(clients_, [](const Client& c) {
                               return c.below != nullptr;
                             }) >= kMostRelays)
    return fail("too many are attached to this step for one more with other nodes");
  return check_below(request.below, setup_.launch.num_tasks);
}

void Stdio::join_nodes_below(Client& client, const wire::AttachRequest& request) {
  if (request.below.branches.empty()) return;
  client.below = std::make_unique<Relay>(
      setup_, request,
      Relay::Up{
          .send = [this, &client](std::string_view frame) { send_frame(client, frame); },
          .has_room = [&client] { return client.channel.queued_bytes() < kMaxQueuedOutput; }});
}

bool Stdio::relays() const {
  return std::ranges::any_of(clients_, [](const Client& client) {
    return !client.broken && client.below && !client.below->is_done();
  });
}

void Stdio::say(std::string_view text, bool ends_step) {
  send_all(wire::StepMessage{std::string(text), ends_step});
}

void Stdio::abort(std::string_view text) { send_all(wire::StepAborted{std::string(text)}); }

bool Stdio::drained() const {
  return std::ranges::all_of(
      outputs_, [](const Output& output) { return output.fd < 0 && output.unwritten.empty(); });
}

bool Stdio::has_client() const {
  return std::ranges::any_of(clients_, [](const Client& client) { return !client.broken; });
}

bool Stdio::flushed() const { return queued_bytes() == 0; }

void Stdio::finish() {
  finished_ = true;
  send_all(wire::StepFinished{});
}

void Stdio::drop_output() {
  drops_output_ = true;
  for (Output& output : outputs_) output.unwritten.clear();
}

// Poll does not report frames that are in memory because they arrived together with the one that
// filled the inputs.
void Stdio::read_held_back() {
  for (Client& client : clients_)
    if (pending_input_bytes() < kMaxPendingInput && std::exchange(client.held_back, false))
      read_client(client);
}

void Stdio::watch(io::PollSet& set) {
  read_held_back();
  remove_broken();
  const bool may_read_output = drops_output_ || (had_client_ && queued_bytes() < kMaxQueuedOutput);
  for (Output& output : outputs_) {
    if (!output.unwritten.empty())
      set.add(output.file, POLLOUT, [&output](short) { write_labelled(output); });
    else if (output.fd >= 0 && (may_read_output || output.file != kToClient))
      set.add(output.fd, POLLIN, [this, &output](short) { read_output(output); });
  }

  for (auto& [rank, input] : inputs_)
    if (input.fd >= 0 && !input.pending.empty())
      set.add(input.fd, POLLOUT, [this, &input](short) { write_input(input); });

  const bool may_read_input = pending_input_bytes() < kMaxPendingInput;
  for (Client& client : clients_) {
    short events = client.channel.queued_bytes() > 0 ? POLLOUT : 0;
    if (may_read_input) events |= POLLIN;
    set.add(client.channel.fd(), events, [this, &client](short happened) {
      if ((happened & POLLOUT) != 0 && !client.channel.try_flush()) client.broken = true;
      if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0) read_client(client);
    });
    if (client.below) client.below->watch(set);
  }
}

void Stdio::send(Client& client, wire::FromStep message) {
  send_frame(client, encode(wire::FromStepFrame{std::move(message), client.place}));
}

void Stdio::send_frame(Client& client, std::string_view frame) {
  if (client.broken) return;
  client.channel.queue(frame);
  if (!client.channel.try_flush()) client.broken = true;
}

// Encodes the message once for all clients that number places alike. Returns the message.
wire::FromStep Stdio::send_all(wire::FromStep message, bool is_output) {
  wire::FromStepFrame frame{std::move(message)};
  std::string bytes;
  for (Client& client : clients_) {
    if (is_output && !client.wants_output) continue;
    if (bytes.empty() || frame.place != client.place) {
      frame.place = client.place;
      bytes = encode(frame);
    }
    send_frame(client, bytes);
  }
  return std::move(frame.message);
}

void Stdio::read_client(Client& client) {
  while (!client.broken && pending_input_bytes() < kMaxPendingInput) {
    auto frame = client.channel.try_receive();
    if (!frame) {
      client.broken = true;
      break;
    }
    if (!*frame) return;
    auto message = decode<wire::ToStepFrame>(**frame, Origin::foreign);
    if (!message) {
      client.broken = true;
      break;
    }
    if (std::holds_alternative<wire::UsageRequest>(message->message)) send(client, measure_());
    if (client.only_watches) continue;
    if (client.below) client.below->pass_down(**frame);
    if (auto* input = std::get_if<wire::TaskInput>(&message->message)) feed(*input);
    if (auto* signal = std::get_if<wire::TaskSignal>(&message->message)) on_signal_(signal->signal);
    if (auto* size = std::get_if<wire::WindowSize>(&message->message)) set_window(*size);
  }
  client.held_back = !client.broken;
}

void Stdio::remove_broken() {
  const bool orphaned = std::ranges::any_of(
      clients_, [](const Client& client) { return client.broken && client.owns; });
  std::erase_if(clients_, [](const Client& client) { return client.broken; });
  if (orphaned && !finished_) on_signal_(SIGKILL);
  if (!had_client_ || drops_output_ || !clients_.empty()) return;
  drops_output_ = true;
  feed(wire::TaskInput{});
}

std::size_t Stdio::queued_bytes() const {
  std::size_t most = 0;
  for (const Client& client : clients_) most = std::max(most, client.channel.queued_bytes());
  return most;
}

std::size_t Stdio::pending_input_bytes() const {
  std::size_t sum = 0;
  for (const auto& [rank, input] : inputs_) sum += input.pending.size();
  for (const Client& client : clients_)
    if (client.below) sum = std::max(sum, client.below->queued_bytes());
  return sum;
}

}  // namespace muster::step
