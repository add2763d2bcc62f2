// NodeLinks: the connections of slurmds, what each node was told or has reported over its
// connection, and when it last reported. From this and the committed state follow the orders that a
// node still needs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controller/ledger/ledger.h"
#include "controller/links/step_launches.h"
#include "wire/node_messages.h"

namespace muster::controller {

class NodeLinks {
 public:
  using Orders = std::vector<std::pair<NodeId, wire::Order>>;
  using Loads = std::map<NodeId, NodeLoad>;

  NodeLinks(Ledger& ledger, Host& host) : ledger_(ledger), host_(host) {}

  // --- connections ---
  bool is_connected(NodeId node) const { return sessions_.contains(node); }
  std::optional<NodeId> node_of(NodeConnection connection) const;
  std::vector<NodeConnection> connections() const;
  // The node registers: its older connection is dropped, with all that was known through it.
  void open(NodeId node, NodeConnection from, const NodeLoad& load);
  void close(NodeConnection from);
  void forget(NodeId node);  // the node leaves the cluster
  void forget_nodes_gone_from_configuration();

  // --- what a node knows ---
  bool knows(NodeId node, const wire::StepRef& step) const;
  bool runs(NodeId node, JobId job, Attempt attempt) const;  // some step of this run
  void note_running(NodeId node, const wire::StepRef& step);
  void note_step_end(NodeId node, const wire::StepRef& step);
  void note_job_gone(NodeId node, JobId job, Attempt attempt);
  // PrologFlags=DeferBatch: the script waits for the Prologs of all nodes.
  void on_prepared(NodeId node, const wire::PreparedReport& report);
  StepLaunches& launches() { return launches_; }

  // --- orders, once what they follow from is committed ---
  // What has been sent leaves the list. Memory may run out before the end of it.
  void send(Orders& orders);
  // What the nodes should do, less what they know: asking again sends nothing.
  void send_effects(std::set<NodeId>& nodes);
  void order_health_checks();

  // --- last contact ---
  void note_heard(NodeId node) { loads_[node].last_contact = ledger_.now(); }
  void note_load(NodeId node, const wire::HeartbeatReport& report);
  // For a node that has never reported, time counts from the first call.
  Time last_contact(NodeId node);
  // munge refused the node, which tries again every few seconds.
  void note_refusal(NodeId node) { last_refusal_[node] = ledger_.now(); }
  bool is_refused(NodeId node) const;
  std::shared_ptr<const Loads> loads() const { return std::make_shared<Loads>(loads_); }
  void on_clock_step(Millis by);
  void on_standstill(Millis span);

 private:
  struct Session {
    NodeConnection connection = 0;
    std::set<wire::StepRef> known;  // steps that it was told to run, or reported as running
    std::set<std::pair<JobId, Attempt>> ending;  // attempts that it was told to end
    // Attempts for which it was told to run the Prolog.
    std::set<std::pair<JobId, Attempt>> prepared;
    std::set<std::pair<JobId, Attempt>> ready;  // attempts whose Prolog has succeeded
    std::int64_t health_round = 0;  // of HealthCheckInterval: the last one that was ordered
  };
  // What is new to a node, which knows it once all of it has been sent.
  struct News {
    std::vector<OutgoingOrder> orders;
    std::set<wire::StepRef> known;
    std::set<std::pair<JobId, Attempt>> ending, prepared;
  };
  Session* find(NodeId node);
  const Session* find(NodeId node) const;
  News news_for(const Node& node, const Session& session);
  void add_launches(const Job& job, const Node& node, const Session& session, News& news);
  bool is_ready_everywhere(const Job& job) const;

  Ledger& ledger_;
  Host& host_;
  std::map<NodeId, Session> sessions_;
  std::map<NodeConnection, NodeId> connections_;
  Loads loads_;
  std::map<NodeId, Time> last_refusal_;
  StepLaunches launches_;
};

}  // namespace muster::controller
