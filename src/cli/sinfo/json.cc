// sinfo --json: the keys and types of Slurm's OpenAPI v0.0.38.
#include "cli/tables/json.h"

#include <fmt/format.h>

#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/records/record_text.h"
#include "cli/sinfo/list.h"

namespace muster::cli {

namespace {

std::string join_texts(const std::vector<Text>& texts) {
  std::vector<std::string> parts;
  for (const Text& text : texts) parts.push_back(text.str());
  return join(parts, ",");
}

// "cpu=8,mem=16000M,billing=8,gres/gpu=4"; billing is left out of what is in use.
std::string tres_text(std::uint64_t cpus, std::uint64_t memory_mib, bool billing,
                      const std::map<std::string, std::uint64_t>& gres) {
  std::string out;
  auto add = [&](std::string part) { out += (out.empty() ? "" : ",") + part; };
  if (cpus > 0) add(fmt::format("cpu={}", cpus));
  if (memory_mib > 0) add(fmt::format("mem={}", format_mib(memory_mib)));
  if (billing) add(fmt::format("billing={}", cpus));
  for (const auto& [name, count] : gres)
    if (count > 0) add(fmt::format("gres/{}={}", name, count));
  return out;
}
template <class Parts>
std::map<std::string, std::uint64_t> by_name(const Parts& parts) {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& part : parts) sums[part.name.str()] += part.count;
  return sums;
}

void add_machine(Json& out, const wire::NodeView& view) {
  const Node& node = *view.node;
  out["architecture"] = json_text(node.facts.arch);
  out["burstbuffer_network_address"] = "";
  out["boards"] = node.config.boards;
  out["boot_time"] = json_time(node.facts.boot_time);
  out["comment"] = json_text(node.comment);
  out["cores"] = node.config.cores_per_socket;
  out["cpu_binding"] = 0;
  out["cpu_load"] = view.cpu_load < 0 ? Json(nullptr)
                                      : Json(static_cast<std::int64_t>(view.cpu_load * 100 + 0.5));
  out["extra"] = json_text(node.extra);
  out["free_memory"] = view.free_memory_known ? Json(view.free_memory_mib) : Json(nullptr);
  out["cpus"] = node.config.cpus;
  out["last_busy"] = json_time(node.last_busy);
  out["features"] = join_texts(node.config.features);
  out["active_features"] = join_texts(node.active_features);
  out["gres"] = json_text(gres_of_node(node.config));
  out["gres_drained"] = "N/A";
  out["gres_used"] = gres_used_text(node);
  out["mcs_label"] = "";
  out["name"] = json_text(node.config.name);
  out["next_state_after_reboot"] = "invalid";
  out["address"] = json_text(node.config.address);
  out["hostname"] = json_text(node.config.hostname);
}

void add_state(Json& out, const wire::NodeView& view, NodeContext& context) {
  const Node& node = *view.node;
  std::string state = node_state_long(node);
  auto words = split(state, '+');
  out["state"] = lower(words[0]);
  out["state_flags"] = Json::array();
  for (std::size_t i = 1; i < words.size(); ++i)
    out["state_flags"].push_back(std::string(words[i]));
  out["next_state_after_reboot_flags"] = Json::array();
  out["operating_system"] = json_text(node.facts.os);
  out["owner"] = nullptr;
  out["partitions"] = Json::array();
  for (const Text& name : view.partitions) out["partitions"].push_back(name.str());
  out["port"] = node.config.port;
  out["real_memory"] = node.config.memory_mib;
  out["reason"] = json_text(node.reason);
  out["reason_changed_at"] = json_time(node.reason_time);
  out["reason_set_by_user"] =
      node.reason.empty() ? Json(nullptr) : Json(context.names.user(node.reason_uid));
}

void add_use(Json& out, const wire::NodeView& view) {
  const Node& node = *view.node;
  std::uint64_t used = node.used_cpus.size();
  out["slurmd_start_time"] = json_time(node.facts.slurmd_started);
  out["sockets"] = node.config.sockets;
  out["threads"] = node.config.threads_per_core;
  out["temporary_disk"] = node.config.tmp_disk_mib;
  out["weight"] = node.config.weight;
  out["tres"] =
      tres_text(node.config.cpus, node.config.memory_mib, true, by_name(node.config.gres));
  out["slurmd_version"] = json_text(node.facts.version);
  out["alloc_memory"] = node.used_memory_mib;
  out["alloc_cpus"] = used;
  out["idle_cpus"] = cpu_counts({&view}).idle;
  out["tres_used"] =
      used == 0 ? "" : tres_text(used, node.used_memory_mib, false, by_name(node.used_gres));
  out["tres_weighted"] = 1.0 * used;
}

}  // namespace

std::string nodes_json(const wire::NodesReply& reply, NodeContext& context) {
  Json records = Json::array();
  for (const wire::NodeView& view : reply.nodes) {
    Json out;
    add_machine(out, view);
    add_state(out, view, context);
    add_use(out, view);
    records.push_back(std::move(out));
  }
  return json_document("openapi/v0.0.38", "Slurm OpenAPI v0.0.38", "nodes", std::move(records));
}

}  // namespace muster::cli
