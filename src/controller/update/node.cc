// scontrol update node: state, reason, features, weight, comment, address.
#include "controller/update/update.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "controller/contact/leaving.h"
#include "controller/contact/loss.h"
#include "controller/nodes/node_gres.h"
#include "controller/nodes/node_state.h"
#include "controller/update/dynamic_nodes.h"
#include "controller/update/settings_list.h"
#include "model/binding/cpu_bind.h"
#include "wire/update_keys.h"

namespace muster::controller {

namespace {

// Only a node that is out of service, or soon will be, has a reason.
bool has_a_reason(const Node& node, std::string_view state) {
  return !state.empty() || node.drain || node.fail || node.health == NodeHealth::down;
}

bool takes_out(std::string_view state) {
  return iequals(state, "drain") || iequals(state, "down") || iequals(state, "fail");
}

std::vector<Text> words_of(std::string_view list) {
  std::vector<Text> words;
  for (std::string_view word : split(list, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

// The last key is used by scontrol reboot.
bool is_key_of_node(std::string_view key) {
  return wire::find_update_key(wire::UpdateRequest::Kind::node, key) || iequals(key, "NodeName") ||
         iequals(key, "NextState");
}

// Addresses or host names of several nodes, one each.
struct Machines {
  std::vector<std::string> addresses, hostnames;  // empty: unchanged
};
Result<Machines> machines_of(const SettingsList& settings, std::size_t nodes) {
  Machines machines;
  auto read = [&](std::string_view key, std::vector<std::string>& names) {
    auto list = find_setting(settings, {key});
    if (!list) return true;
    auto expanded = expand_hostlist(*list);
    if (!expanded || expanded->size() != nodes) return false;
    names = std::move(*expanded);
    return true;
  };
  if (!read("NodeAddr", machines.addresses) || !read("NodeHostName", machines.hostnames))
    return fail(ErrorCode::invalid_node_name);
  return machines;
}

// Everything except the state: comment, weight, features, gres.
Result<void> set_other(const SettingsList& settings, const Cluster& cluster, const Node& node,
                       NodeUpdated& update) {
  for (const auto& [key, value] : settings) {
    if (iequals(key, "Comment")) update.comment = value;
    if (iequals(key, "Extra")) update.extra = value;
    if (iequals(key, "Weight")) {
      auto weight = parse_number<std::uint32_t>(value);
      if (!weight) return fail(ErrorCode::failure, "Invalid value");
      update.weight = *weight;
    }
    if (iequals(key, "CpuBind")) {
      auto bind = parse_default_cpu_bind(value);
      if (!bind) return std::unexpected(bind.error());
      update.cpu_bind = *bind;
    }
    if (iequals(key, "Gres")) {
      auto gres = changed_gres(cluster, node, value);
      if (!gres) return std::unexpected(gres.error());
      update.gres = std::move(*gres);
    }
    if (iequals(key, "Features") || iequals(key, "AvailableFeatures"))
      update.available_features = words_of(value);
  }
  if (auto active = find_setting(settings, {"ActiveFeatures"}))
    update.active_features = words_of(*active);
  const auto& active = update.active_features ? *update.active_features : node.active_features;
  const auto& available =
      update.available_features ? *update.available_features : node.config.features;
  const bool known = std::ranges::all_of(active, [&](const Text& feature) {
    return std::ranges::find(available, feature) != available.end();
  });
  if (!known) return fail(ErrorCode::features_not_available);
  // Unless the request names active features, all available features become active.
  if (!update.active_features) update.active_features = update.available_features;
  return {};
}

void set_machine(const Machines& machines, std::size_t which, const Node& node,
                 NodeUpdated& update) {
  NodeClaim given = node.given;
  if (!machines.addresses.empty()) given.address = machines.addresses[which];
  if (!machines.hostnames.empty()) given.hostname = machines.hostnames[which];
  if (given != node.given) update.given = std::move(given);
}

void change_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, NodeId id,
                 std::vector<Event> changes) {
  const bool was_down = ledger.node(id).health == NodeHealth::down;
  for (Event& change : changes) ledger.record(std::move(change));
  if (ledger.node(id).health == NodeHealth::down && !was_down)
    lose_node(ledger, links, allocations, id, "it was set DOWN");
  ledger.touch(id);
}

}  // namespace

wire::Answer update_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, Power& power,
                         Caller caller, const wire::UpdateRequest& request) {
  const Time now = ledger.now();
  if (request.create) return create_nodes(ledger, request);
  if (request.remove) return delete_nodes(ledger, links, request);
  auto nodes = named_nodes(ledger.cluster(), request);
  if (!nodes) return Error{ErrorCode::invalid_node_name, {}};
  for (const auto& [key, value] : request.settings)
    if (!is_key_of_node(key)) return Error{ErrorCode::not_supported_yet, key};
  const auto machines = machines_of(request.settings, nodes->size());
  if (!machines) return machines.error();
  const std::string state(find_setting(request.settings, {"State"}).value_or(""));
  auto reason = find_setting(request.settings, {"Reason"});
  const std::string next(find_setting(request.settings, {"NextState"}).value_or(""));
  // If one node refuses the change, the others are changed all the same.
  std::optional<Error> refusal;
  std::vector<NodeId> changed;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    const NodeId id = (*nodes)[i];
    const Node& node = ledger.node(id);
    NodeDraft draft;
    if (reason && !reason->empty() && *reason != node.reason && has_a_reason(node, state))
      draft.reason = {.text = *reason, .by = caller.uid, .at = now};
    if (takes_out(state) && node.reason.empty() && !draft.reason)
      return Error{ErrorCode::failure, "You must specify a reason when DOWNING or DRAINING a node"};
    const StateWish wish{.state = state,
                         .next_state = next,
                         .has_reason = reason.has_value(),
                         .by = caller.uid,
                         .connected = links.is_connected(id),
                         .now = now};
    NodeUpdated update{.node = id};
    set_machine(*machines, i, node, update);
    Result<void> ok;
    if (!state.empty()) ok = set_state(ledger.settings(), node, wish, draft);
    if (ok) ok = set_other(request.settings, ledger.cluster(), node, update);
    if (!ok) {
      refusal = ok.error();
      continue;
    }
    update.reason = std::move(draft.reason);
    if (update != NodeUpdated{.node = id}) draft.events.emplace_back(std::move(update));
    change_node(ledger, links, allocations, id, std::move(draft.events));
    changed.push_back(id);
  }
  if (iequals(state, "POWER_DOWN_FORCE"))
    for (NodeId id : changed) clear_node(ledger, links, id, Leave::all);
  if (iequals(state, "POWER_DOWN"))
    for (NodeId id : changed) clear_node(ledger, links, id, Leave::with_grace);
  if (iequals(state, "POWER_UP")) power.power_up_if_off(changed);
  ledger.want_plan();
  if (refusal) return *refusal;
  return wire::Done{};
}

}  // namespace muster::controller
