// Opens and serves srun's ends of the standard streams.
#include "cli/srun/streams.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/lib/name_lookup.h"
#include "io/loop/poll_set.h"

namespace muster::cli {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    io::wait_until_ready(fd, POLLOUT);
  }
  return true;
}

std::vector<std::uint32_t> StepStreams::Input::ranks() const {
  if (only) return {first_rank + *only};
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < tasks && !everybodys; ++i) all.push_back(first_rank + i);
  return all;
}

StepStreams::StepStreams(const SrunPlan& plan, const wire::StepReply& reply)
    : plan_(plan),
      job_(reply.places.empty() ? JobId{} : reply.places.front().job),
      step_(reply.step) {
  auto add = [&](const SrunPlan& part, std::uint32_t tasks) {
    const std::uint32_t first = parts_.empty() ? 0 : parts_.back().first_rank + parts_.back().tasks;
    parts_.push_back({.plan = &part,
                      .first_rank = first,
                      .tasks = tasks,
                      .in = part.in.in_step_of(tasks),
                      .out = part.out.in_step_of(tasks),
                      .err = part.err.in_step_of(tasks)});
  };
  // For another srun's step (sattach) one plan serves all of its commands.
  const bool several = reply.part_tasks.size() == plan.parts.size() + 1;
  add(plan, several ? reply.part_tasks.front() : reply.num_tasks);
  for (std::size_t i = 0; several && i < plan.parts.size(); ++i)
    add(plan.parts[i], reply.part_tasks[i + 1]);
}

StepStreams::~StepStreams() {
  for (const auto& [path, fd] : opened_) close(fd);
  for (const Input& input : inputs_)
    if (input.fd > STDERR_FILENO) close(input.fd);
}

const StepStreams::Part& StepStreams::part_of(std::uint32_t rank) const {
  for (const Part& part : parts_)
    if (rank - part.first_rank < part.tasks) return part;
  return parts_.back();
}

FileNameParts StepStreams::name_parts(const Part& part) const {
  const JobOptions& options = part.plan->options;
  const JobEnvironment own = JobEnvironment::of_process();
  auto number = [&](std::string_view name) { return parse_number<std::uint32_t>(own.value(name)); };
  FileNameParts parts;
  parts.job = job_;
  if (options.job_id) {
    parts.array = JobId{number("SLURM_ARRAY_JOB_ID").value_or(0)};
    parts.task_id = number("SLURM_ARRAY_TASK_ID").value_or(kNoTask);
  }
  parts.step = step_;
  parts.job_name = options.spec.name.str();
  parts.user_name = NameLookup().user(own_uid());
  parts.host = short_host_name();
  parts.node_index = parts.rank = 0;
  return parts;
}

// A file that is named several times is opened once, so that its parts follow each other.
std::optional<StepStreams::Sink> StepStreams::open_sink(const Part& part,
                                                        const StreamTarget& target, int own_fd,
                                                        std::string_view what) {
  if (target.kind != StreamTarget::Kind::file) return Sink{own_fd, false};
  const std::string path = absolute_path(expand_file_name(target.pattern, name_parts(part)));
  if (auto known = opened_.find(path); known != opened_.end()) return Sink{known->second, true};
  auto fd = open_output(path, part.plan->options.spec.open_mode);
  if (!fd) {
    print_error(plan_.program, fmt::format("Could not open {} file: {}", what, fd.error().text()));
    return std::nullopt;
  }
  opened_[path] = *fd;
  return Sink{*fd, true};
}

// Input of srun itself goes to its first command.
bool StepStreams::open_input_of(const Part& part) {
  using Kind = StreamTarget::Kind;
  if (part.in.kind == Kind::nothing || part.in.kind == Kind::nodes) return true;
  if (part.in.kind == Kind::own && part.first_rank > 0) return true;
  Input input{.fd = STDIN_FILENO,
              .first_rank = part.first_rank,
              .tasks = part.tasks,
              .everybodys = parts_.size() == 1};
  if (part.in.kind == Kind::one_task) input.only = part.in.rank;
  if (part.in.kind == Kind::file) {
    auto fd = open_input(absolute_path(part.in.pattern));
    if (!fd) {
      print_error(plan_.program, fmt::format("Could not open stdin file: {}", fd.error().text()));
      return false;
    }
    input.fd = *fd;
  }
  inputs_.push_back(input);
  return true;
}

bool StepStreams::open() {
  for (Part& part : parts_) {
    auto out = open_sink(part, part.out, STDOUT_FILENO, "stdout");
    if (!out) return false;
    part.out_sink = *out;
    auto err = open_sink(part, part.err, STDERR_FILENO, "stderr");
    if (!err) return false;
    part.err_sink = *err;
    if (!open_input_of(part)) return false;
  }
  return true;
}

bool StepStreams::shows(std::uint32_t rank, bool is_stderr) const {
  const Part& part = part_of(rank);
  const StreamTarget& target = is_stderr ? part.err : part.out;
  if (target.kind == StreamTarget::Kind::one_task) return part.first_rank + target.rank == rank;
  return target.kind != StreamTarget::Kind::nothing;
}

void StepStreams::write(std::uint32_t rank, bool is_stderr, std::string_view bytes) {
  const Part& part = part_of(rank);
  const Sink sink = is_stderr ? part.err_sink : part.out_sink;
  if (bytes.empty() || sink.fd < 0 || write_all(sink.fd, bytes)) return;
  if (sink.owned)
    print_error(plan_.program,
                fmt::format("Writing the tasks' output failed: {}", std::strerror(errno)));
  if (sink.owned) std::erase_if(opened_, [&](const auto& file) { return file.second == sink.fd; });
  if (sink.owned) close(sink.fd);
  // The tasks go on; their output is dropped.
  for (Part& each : parts_)
    for (Sink* same : {&each.out_sink, &each.err_sink})
      if (same->fd == sink.fd) *same = {};
}

bool StepStreams::has_input() const {
  return std::ranges::any_of(inputs_, [](const Input& input) { return input.fd >= 0; });
}

std::vector<std::uint32_t> StepStreams::without_input() const {
  using Kind = StreamTarget::Kind;
  std::vector<std::uint32_t> ranks;
  for (const Part& part : parts_)
    for (std::uint32_t i = 0; i < part.tasks; ++i) {
      const bool is_another = part.in.kind == Kind::one_task && part.in.rank != i;
      const bool is_later = part.in.kind == Kind::own && part.first_rank > 0;
      if (is_another || is_later) ranks.push_back(part.first_rank + i);
    }
  return ranks;
}

}  // namespace muster::cli
