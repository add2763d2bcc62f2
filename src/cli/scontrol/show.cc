// scontrol show: requests records and prints them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/lib/own_groups.h"
#include "cli/scontrol/assoc_mgr.h"
#include "cli/scontrol/licenses.h"
#include "cli/scontrol/reservation.h"
#include "cli/scontrol/session.h"
#include "cli/scontrol/topology.h"
#include "cli/sinfo/list.h"
#include "cli/squeue/list.h"
#include "cli/tables/step_commands.h"
#include "io/files.h"

namespace muster::cli {

namespace {

void print_text(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

Time now_by_clock() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

// If single tasks of a waiting array were asked for: shows the record as if it had only these
// tasks. A single task is shown like one with its own record.
wire::JobView narrowed(wire::JobView view, const std::vector<wire::JobRef>& asked) {
  for (const wire::JobRef& ref : asked) {
    if (ref.tasks.empty() || ref.job != view.job->array_id || !view.job->is_array_record())
      continue;
    IdSet wanted = view.job->waiting_tasks.intersect(ref.tasks);
    if (wanted.empty()) continue;
    Job& job = view.job.edit();
    if (ref.tasks.size() == 1) job.task_id = wanted.min();
    job.waiting_tasks = ref.tasks.size() == 1 ? IdSet{} : wanted;
  }
  return view;
}

// --json: the same document as squeue's.
void show_jobs_as_json(ScontrolSession& session, Controller& controller,
                       const wire::JobsRequest& request) {
  JobViews jobs;
  QueueContext context;
  context.cluster = controller.config().cluster_name;
  auto take = [&](wire::Answer&& part) {
    auto* reply = std::get_if<wire::JobsReply>(&part);
    if (!reply) return;
    context.now = reply->now;
    for (wire::JobView& view : reply->jobs)
      jobs.push_back(narrowed(std::move(view), request.filter.jobs));
  };
  if (auto done = controller.stream(request, take); !done)
    return session.error("slurm_load_jobs error: {}", error_text(done.error().code));
  context.times = TimeStyle::from_environment("scontrol", context.now);
  print_text(queue_json(jobs, context));
}

void say_not_found(ScontrolSession& session, const std::string& id) {
  session.exit_code = 1;
  if (!session.quiet) fmt::print("Job {} not found\n", id);
}

void show_jobs(ScontrolSession& session, const std::string& id) {
  wire::JobsRequest request;
  request.filter.all_states = true;
  for (const std::string& item : split_job_list(id)) {
    auto ref = wire::parse_job_ref(item);
    if (!ref)
      return session.error("scontrol_print_job error: {}", error_text(ErrorCode::invalid_job_id));
    ref->step.reset();
    request.filter.jobs.push_back(std::move(*ref));
  }
  std::size_t shown = 0;
  auto print_part = [&](wire::Answer&& part) {
    auto* reply = std::get_if<wire::JobsReply>(&part);
    if (!reply) return;
    ShowStyle style = session.style(reply->now);
    for (wire::JobView& view : reply->jobs) {
      print_text(job_text(narrowed(std::move(view), request.filter.jobs), style));
      ++shown;
    }
  };
  auto to = session.connect();
  if (!to) return session.error("slurm_load_jobs error: {}", to.error().text());
  if (session.json) return show_jobs_as_json(session, **to, request);
  if (auto done = (*to)->stream(request, print_part); !done) {
    bool asks_id = done.error().code == ErrorCode::invalid_job_id;
    return session.error(
        "slurm_load_jobs error: {}",
        asks_id ? std::string(error_text(done.error().code)) : done.error().text());
  }
  if (shown > 0) return;
  if (id.empty()) {
    if (!session.quiet) fmt::print("No jobs in the system\n");
    return;
  }
  // The error for a missing task or component of an existing job differs from that for an unknown
  // job.
  const wire::JobRef& asked = request.filter.jobs.front();
  if (!asked.tasks.empty() || asked.component) return say_not_found(session, id);
  session.error("slurm_load_jobs error: {}", error_text(ErrorCode::invalid_job_id));
}

void show_nodes(ScontrolSession& session, const std::string& names) {
  std::vector<std::string> wanted;
  if (!names.empty()) {
    auto expanded = expand_hostlist(names);
    if (!expanded) return session.error("Invalid node name specified: {}", names);
    wanted = std::move(*expanded);
  }
  wire::NodesRequest request;
  for (const std::string& name : wanted) request.names.emplace_back(name);
  auto reply = session.ask_for<wire::NodesReply>(request);
  if (!reply) {
    // Nodes, partitions or both may be private (PrivateData).
    const bool partitions = reply.error().code == ErrorCode::access_denied &&
                            !session.ask_for<wire::PartitionsReply>(wire::PartitionsRequest{});
    return session.error("{} error: {}", partitions ? "slurm_load_partitions" : "slurm_load_node",
                         reply.error().text());
  }
  if (session.json) {
    NodeContext context;
    context.now = reply->now;
    context.times = TimeStyle::from_environment("scontrol", reply->now);
    return print_text(nodes_json(*reply, context));
  }
  ShowStyle style = session.style(reply->now);
  if (wanted.empty()) {
    bool any = false;
    for (const wire::NodeView& view : reply->nodes) {
      if (view.node->future && !session.future) continue;
      print_text(node_text(view, style));
      any = true;
    }
    if (!any && !session.quiet) fmt::print("No nodes in the system\n");
    return;
  }
  for (const std::string& name : wanted) {
    auto found = std::ranges::find_if(reply->nodes, [&](const wire::NodeView& view) {
      return view.node->config.name.view() == name && (session.future || !view.node->future);
    });
    if (found != reply->nodes.end()) {
      print_text(node_text(*found, style));
      continue;
    }
    session.exit_code = 1;
    if (!session.quiet) fmt::print("Node {} not found\n", name);
  }
}

void show_partitions(ScontrolSession& session, const std::string& name) {
  auto reply = session.ask_for<wire::PartitionsReply>(wire::PartitionsRequest{});
  if (!reply) return session.error("slurm_load_partitions error: {}", reply.error().text());
  ShowStyle style = session.style(now_by_clock());
  const bool all = session.all || own_uid() == Uid{0};
  bool any = false;
  for (const wire::PartitionView& view : reply->partitions) {
    if (!name.empty() && view.partition.name.view() != name) continue;
    if (!all && (view.partition.hidden || !admits_own_groups(view.partition))) continue;
    print_text(partition_text(view, style));
    any = true;
  }
  if (any) return;
  if (name.empty()) {
    if (!session.quiet) fmt::print("No partitions in the system\n");
    return;
  }
  session.exit_code = 1;
  if (!session.quiet) fmt::print("Partition {} not found\n", name);
}

// The job's special steps, which have the highest numbers, come first.
std::vector<const Step*> steps_in_order(const Job& job) {
  std::vector<const Step*> ordered;
  for (const auto* steps : {&job.run->steps, &job.run->queued_steps})
    for (const auto& [id, step] : *steps) ordered.push_back(&step);
  auto is_own = [](const Step* step) { return step->id == kBatchStep || step->id == kExternStep; };
  std::ranges::stable_partition(ordered, is_own);
  return ordered;
}

void show_steps(ScontrolSession& session, const std::string& id) {
  wire::JobsRequest request;
  request.filter.states = {JobState::running, JobState::suspended};
  std::optional<StepId> wanted;
  if (!id.empty()) {
    auto ref = wire::parse_job_ref(id);
    if (!ref)
      return session.error("slurm_get_job_steps error: {}", error_text(ErrorCode::invalid_job_id));
    wanted = ref->step;
    ref->step.reset();
    request.filter.jobs.push_back(std::move(*ref));
  }
  auto reply = session.ask_for<wire::JobsReply>(request);
  if (!reply) return session.error("slurm_get_job_steps error: {}", reply.error().text());
  bool any = false;
  for (const wire::JobView& view : reply->jobs)
    for (const Step* step : steps_in_order(*view.job)) {
      if ((wanted && *wanted != step->id) || is_ended(step->state)) continue;
      const ShowStyle style = session.style(reply->now);
      if (step->commands.empty()) print_text(step_text(view, *step, {}, style));
      for (const CommandOfStep& command : commands_of(*step))
        print_text(step_text(view, command.step, command.suffix, style));
      any = true;
    }
  if (any) return;
  if (id.empty()) {
    if (!session.quiet) fmt::print("No job steps in the system\n");
    return;
  }
  session.exit_code = 1;
  if (!session.quiet) fmt::print("Job step {} not found\n", id);
}

void show_config(ScontrolSession& session, const std::string&) {
  auto reply = session.ask_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!reply) {
    session.error("slurm_load_ctl_conf error: {}", reply.error().text());
    return;
  }
  print_text(config_text(*reply, now_by_clock()));
  scontrol_ping(session);
}

// A list as written, or the names in a file: "/path".
std::optional<std::string> host_words(ScontrolSession& session, const std::string& list) {
  if (!list.starts_with('/')) return list;
  auto text = io::read_file(list);
  if (!text) {
    session.error("scontrol: error: Could not open {}", list);
    return std::nullopt;
  }
  std::ranges::replace_if(*text, [](char c) { return c == '\n' || c == ','; }, ' ');
  std::string joined;
  for (std::string_view word : split_words(*text))
    joined += (joined.empty() ? "" : ",") + std::string(word);
  return joined;
}

void show_hostnames(ScontrolSession& session, const std::string& given) {
  std::string list = given;
  if (list.empty())
    for (const char* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"})
      if (const char* value = std::getenv(name); value && list.empty()) list = value;
  if (list.empty()) {
    if (!session.quiet) fmt::print(stderr, "scontrol: error: host list is empty\n");
    return;
  }
  auto words = host_words(session, list);
  if (!words) return;
  auto names = expand_hostlist(*words);
  if (!names) return session.error("Invalid hostlist: {}", list);
  for (const std::string& name : *names) fmt::print("{}\n", name);
}

void show_hostlist(ScontrolSession& session, const std::string& given, bool sorted) {
  if (given.empty()) {
    session.error("invalid encode argument");
    return scontrol_print_help();
  }
  auto words = host_words(session, given);
  if (!words) return;
  auto names = expand_hostlist(*words);
  if (!names) return session.error("Invalid hostlist: {}", given);
  if (sorted) std::ranges::stable_sort(*names, host_less);
  fmt::print("{}\n", compress_hostlist(*names));
}

// The daemons that should run on this host.
void show_daemons(ScontrolSession& session) {
  auto ping = session.ask_for<wire::PingReply>(wire::PingRequest{});
  auto nodes = session.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!ping) return session.error("slurm_ping error: {}", ping.error().text());
  if (!nodes) return session.error("slurm_load_node error: {}", nodes.error().text());
  std::array<char, 256> buffer{};
  gethostname(buffer.data(), buffer.size() - 1);
  std::string_view full(buffer.data());
  std::string_view host = full.substr(0, full.find('.'));
  std::string daemons;
  if (ping->host == host || ping->host == full || ping->host == "localhost") daemons = "slurmctld ";
  bool has_node = std::ranges::any_of(nodes->nodes, [&](const wire::NodeView& view) {
    const NodeConfig& config = view.node->config;
    return config.hostname == host || config.hostname == full || config.hostname == "localhost" ||
           config.name == host;
  });
  if (has_node) daemons += "slurmd";
  fmt::print("{}\n", trim(daemons));
}

void show_aliases(ScontrolSession& session, const std::string& host) {
  auto reply = session.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!reply) return session.error("slurm_load_node error: {}", reply.error().text());
  std::array<char, 256> buffer{};
  gethostname(buffer.data(), buffer.size() - 1);
  std::string wanted = host.empty() ? std::string(buffer.data()) : host;
  std::string names;
  for (const wire::NodeView& view : reply->nodes)
    if (view.node->config.hostname.view() == wanted)
      names += (names.empty() ? "" : " ") + view.node->config.name.str();
  if (!names.empty()) fmt::print("{}\n", names);
}

// There are no front-end nodes.
void show_frontends(ScontrolSession& session, const std::string& name) {
  if (name.empty()) return fmt::print("No nodes in the system\n");
  session.exit_code = 1;
  if (!session.quiet) fmt::print("Node {} not found\n", name);
}

struct Entity {
  std::string_view name;
  std::size_t shortest;
  void (*show)(ScontrolSession&, const std::string& id);
};

using S = ScontrolSession;
using Id = const std::string&;

constexpr std::array kEntities{
    Entity{"aliases", 1, show_aliases},
    Entity{"assoc_mgr", 2, show_assoc_mgr},
    Entity{"cache", 2, show_assoc_mgr},
    Entity{"config", 1, show_config},
    Entity{"daemons", 1, [](S& s, Id) { show_daemons(s); }},
    Entity{"hostnames", 5, show_hostnames},
    Entity{"hostlist", 5, [](S& s, Id id) { show_hostlist(s, id, false); }},
    Entity{"hostlistsorted", 9, [](S& s, Id id) { show_hostlist(s, id, true); }},
    Entity{"jobs", 1, show_jobs},
    Entity{"jobid", 4, show_jobs},
    Entity{"licenses", 2, show_licenses},
    Entity{"nodes", 1, show_nodes},
    Entity{"partitions", 1, show_partitions},
    Entity{"partitionname", 10, show_partitions},
    Entity{"reservations", 1, show_reservations},
    Entity{"reservationname", 12, show_reservations},
    Entity{"slurmd", 2, [](S& s, Id) { scontrol_show_slurmd(s); }},
    Entity{"steps", 2, show_steps},
    Entity{"topology", 1, show_topology},
    Entity{"federation", 1, [](S&, Id) {}},
    Entity{"frontends", 2, show_frontends},
    // There are no burst buffers, and no programs for them.
    Entity{"burstbuffer", 2, [](S&, Id) {}},
    Entity{"bbstat", 2, [](S&, Id) {}},
    Entity{"dwstat", 2, [](S&, Id) {}},
};

const Entity* find_entity(std::string_view word) {
  for (const Entity& entity : kEntities)
    if (iequals(word, entity.name)) return &entity;
  for (const Entity& entity : kEntities)
    if (word.size() >= entity.shortest && istarts_with(entity.name, word)) return &entity;
  return nullptr;
}

}  // namespace

void scontrol_show(ScontrolSession& session, Words words) {
  std::string entity_name = words[0];
  std::string id = words.size() > 1 ? words[1] : "";
  if (auto equals = entity_name.find('='); equals != entity_name.npos && id.empty()) {
    id = entity_name.substr(equals + 1);
    entity_name.resize(equals);
  }
  const Entity* entity = find_entity(entity_name);
  if (!entity) return session.error("invalid entity:{} for keyword:show ", entity_name);
  const bool has_json = entity->show == show_jobs || entity->show == show_nodes;
  if (session.json && !has_json)
    return session.error("show {} --json: {}; show job and show node have it", entity->name,
                         error_text(ErrorCode::not_supported_yet));
  bool takes_many = entity->name.starts_with("host") || entity->name == "nodes" ||
                    entity->name == "jobs" || entity->show == show_assoc_mgr;
  if (words.size() > 2 && !takes_many) return session.error("too many arguments for keyword:show");
  for (std::size_t i = 2; i < words.size(); ++i) id += "," + words[i];
  entity->show(session, id);
}

}  // namespace muster::cli
