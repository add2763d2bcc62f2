// See triggers.h.
#include "controller/triggers/triggers.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::controller {

Triggers::NodeMarks Triggers::marks_of(const Node& node) {
  return {.down = node.health == NodeHealth::down,
          .drained = node.drain && node.jobs.empty(),
          .fail = node.fail};
}

void Triggers::recover() {
  marks_.clear();
  ledger_.cluster().nodes.each([&](const Node& node) { marks_[node.id] = marks_of(node); });
  ledger_.changed_nodes().clear();
  pull(TriggerEvent::controller_resumed);
}

void Triggers::look() {
  std::set<NodeId>& changed = ledger_.changed_nodes();
  if (changed.empty()) return;
  std::map<NodeId, NodeMarks> seen;
  std::map<TriggerEvent, std::set<NodeId>> happened;
  for (NodeId id : changed) {
    const Node* node = ledger_.cluster().nodes.find(id);
    if (!node) continue;
    const NodeMarks now = seen[id] = marks_of(*node);
    const auto known = marks_.find(id);
    const NodeMarks before = known == marks_.end() ? NodeMarks{} : known->second;
    if (now.down && !before.down) happened[TriggerEvent::node_down].insert(id);
    if (!now.down && before.down) happened[TriggerEvent::node_up].insert(id);
    if (now.drained && !before.drained) happened[TriggerEvent::node_drained].insert(id);
    if (now.fail && !before.fail) happened[TriggerEvent::node_fail].insert(id);
  }
  for (const auto& [event, nodes] : happened) pull(event, nodes);
  if (!happened.empty()) pull(TriggerEvent::reconfigured);
  // All has been recorded. What follows needs no memory: a look that fails is repeated as a whole.
  for (NodeId id : changed) marks_.erase(id);
  marks_.merge(seen);
  changed.clear();
}

void Triggers::pull(TriggerEvent event) {
  const auto all = ledger_.cluster().triggers;  // a copy: pulling changes the list
  for (const Trigger& trigger : *all)
    if (trigger.event == event && !is_set(trigger.due))
      await_program(trigger, ledger_.now() + std::max(trigger.offset, Seconds{0}),
                    Text(event_name(event)));
}

void Triggers::pull(TriggerEvent event, const std::set<NodeId>& nodes) {
  const auto all = ledger_.cluster().triggers;
  for (const Trigger& trigger : *all)
    if (trigger.event == event)
      if (const auto own = nodes_of(trigger, nodes); !own.empty()) pull_by_nodes(trigger, own);
}

// Nodes that follow before the program has started are told to it as well.
void Triggers::pull_by_nodes(Trigger trigger, const std::set<NodeId>& nodes) {
  std::vector<std::string> names;
  if (is_set(trigger.due))
    if (auto earlier = expand_hostlist(trigger.about)) names = std::move(*earlier);
  for (NodeId id : nodes) names.push_back(ledger_.node(id).config.name.str());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  const bool has_waited = trigger.event == TriggerEvent::node_idle;
  const Seconds delay = has_waited ? Seconds{0} : std::max(trigger.offset, Seconds{0});
  const Time due = is_set(trigger.due) ? trigger.due : ledger_.now() + delay;
  await_program(std::move(trigger), due, Text(compress_hostlist_sorted(names)));
}

std::set<NodeId> Triggers::nodes_of(const Trigger& trigger, const std::set<NodeId>& among) const {
  std::set<NodeId> nodes;
  auto keep = [&](NodeId id) {
    if (among.contains(id)) nodes.insert(id);
  };
  if (trigger.job) {
    if (const Job* job = ledger_.cluster().jobs.find(trigger.job))
      for (const NodeShare& share : job->run->allocation) keep(share.node);
    return nodes;
  }
  if (trigger.nodes.empty()) return among;
  if (auto named = ledger_.cluster().nodes_named(trigger.nodes))
    std::ranges::for_each(*named, keep);
  return nodes;
}

// Nodes that have been idle for the time of the offset, and were not yet at `seen`.
std::set<NodeId> Triggers::nodes_idle_for(const Trigger& trigger, Time seen) const {
  const Time now = ledger_.now();
  const Seconds span = std::max(trigger.offset, Seconds{0});
  std::set<NodeId> idle;
  ledger_.cluster().nodes.each([&](const Node& node) {
    const bool is_idle = node.health == NodeHealth::up && node.responding && !node.drain &&
                         !node.fail && !node.future && node.jobs.empty();
    const Time reached = node.last_busy + span;
    if (is_idle && reached <= now && (!is_set(seen) || reached > seen)) idle.insert(node.id);
  });
  return nodes_of(trigger, idle);
}

void Triggers::tick() {
  const auto all = ledger_.cluster().triggers;
  for (const Trigger& trigger : *all) tick_one(trigger);
}

void Triggers::tick_one(Trigger trigger) {
  const Time now = ledger_.now();
  if (is_set(trigger.due)) {
    if (trigger.due <= now) fire(std::move(trigger));
    return;
  }
  if (trigger.event == TriggerEvent::node_idle) {
    // A permanent trigger is pulled once each time a node becomes idle.
    Time* seen = trigger.permanent ? &idle_seen_[trigger.id] : nullptr;
    if (const auto idle = nodes_idle_for(trigger, seen ? *seen : Time{}); !idle.empty())
      pull_by_nodes(trigger, idle);
    if (seen) *seen = now;
    return;
  }
  if (!trigger.job) return;
  const Job* job = ledger_.cluster().jobs.find(trigger.job);
  const bool has_ended = !job || is_ended(job->state);
  const Text about(std::to_string(trigger.job.value));
  if (trigger.event == TriggerEvent::job_end && has_ended)
    return await_program(std::move(trigger), now + std::max(trigger.offset, Seconds{0}), about);
  if (has_ended) return remove(trigger);
  if (trigger.event != TriggerEvent::job_time || job->state != JobState::running) return;
  const Time limit = job->end_limit();
  if (limit != Time::max() && limit + trigger.offset <= now)
    await_program(std::move(trigger), now, about);
}

void Triggers::await_program(Trigger trigger, Time due, Text about) {
  trigger.due = due;
  trigger.about = std::move(about);
  ledger_.record(TriggerChanged{.trigger = std::move(trigger)});
}

// A trigger about a job is used up with its event, even if it is permanent: a job has one end.
void Triggers::fire(Trigger trigger) {
  SiteProgramRun run{.which = SiteProgramRun::Which::trigger,
                     .job = trigger.job,
                     .gid = trigger.gid,
                     .uid = trigger.uid};
  for (std::string_view word : split(std::string_view(trigger.program), ' '))
    if (!word.empty()) run.arguments.emplace_back(word);
  run.arguments.push_back(trigger.about.str());
  ledger_.run(std::move(run));
  if (!trigger.permanent || is_about_job(trigger.event)) return remove(trigger);
  await_program(std::move(trigger), {}, {});
}

void Triggers::remove(const Trigger& trigger) {
  ledger_.record(TriggerChanged{.trigger = trigger, .removed = true});
  idle_seen_.erase(trigger.id);
}

void Triggers::on_clock_step(Millis by) {
  for (auto& [id, seen] : idle_seen_)
    if (is_set(seen)) seen += by;
}

}  // namespace muster::controller
