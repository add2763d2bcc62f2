// The orders of a node: the difference between the committed state and what the node knows. They
// are computed after every commit that concerns the node, and when the node registers; computing
// them again changes nothing.
#include "controller/links/node_links.h"

#include <algorithm>
#include <functional>

#include "controller/effects/launch.h"
#include "controller/effects/outgoing.h"
#include "controller/effects/program_environment.h"
#include "controller/effects/stop_notice.h"
#include "wire/client_messages.h"

namespace muster::controller {

namespace {

std::string_view end_message(const Ending& ending) {
  if (ending.again == Again::piece) return " DUE TO END OF PIECE";
  if (ending.requeue)
    return ending.becomes == JobState::preempted ? " DUE TO PREEMPTION" : " DUE TO JOB REQUEUE";
  switch (ending.becomes) {
    case JobState::timeout:
      return " DUE TO TIME LIMIT";
    case JobState::preempted:
      return " DUE TO PREEMPTION";
    case JobState::node_fail:
      return " DUE TO NODE FAILURE";
    default:
      return "";
  }
}

}  // namespace

// Sorted from the last node to the first: what has been sent leaves at the end.
void NodeLinks::send(Orders& orders) {
  using Entry = Orders::value_type;
  std::ranges::stable_sort(orders, std::greater<>{}, &Entry::first);
  while (!orders.empty()) {
    const NodeId node = orders.back().first;
    const auto first = std::ranges::lower_bound(orders, node, std::greater<>{}, &Entry::first);
    if (const Session* session = find(node)) {
      std::vector<OutgoingOrder> list;
      for (const auto& [to, order] : std::ranges::subrange(first, orders.end()))
        list.push_back({order, {}, {}});
      host_.send(session->connection, ledger_.committed().epoch, std::move(list));
    }
    orders.erase(first, orders.end());
  }
}

void NodeLinks::send_effects(std::set<NodeId>& nodes) {
  for (; !nodes.empty(); nodes.erase(nodes.begin())) {
    const NodeId id = *nodes.begin();
    Session* session = find(id);
    const Node* node = ledger_.committed().nodes.find(id);
    if (!session || !node) continue;
    News news = news_for(*node, *session);
    if (!news.orders.empty())
      host_.send(session->connection, ledger_.committed().epoch, std::move(news.orders));
    session->known.merge(news.known);
    session->ending.merge(news.ending);
    session->prepared.merge(news.prepared);
  }
}

NodeLinks::News NodeLinks::news_for(const Node& node, const Session& session) {
  const Cluster& committed = ledger_.committed();
  const SitePrograms& programs = committed.settings().programs;
  News news;
  auto end = [&](const Job* job, wire::EndJobOrder order) {
    const std::pair run{order.job, order.attempt};
    if (session.ending.contains(run) || !news.ending.insert(run).second) return;
    if (job && programs.epilog)
      order.epilog_environment = epilog_environment(committed, *job, node);
    news.orders.push_back({std::move(order), {}, {}});
  };
  // Steps of earlier attempts and of forgotten jobs must end.
  for (const wire::StepRef& ref : session.known) {
    const Job* job = committed.jobs.find(ref.job);
    bool wanted = job && job->attempt == ref.attempt && job->run->unfinished.contains(node.id);
    if (!wanted) end(job, {.job = ref.job, .attempt = ref.attempt, .kill_wait = Seconds{0}});
  }
  for (const auto& [id, attempt] : session.prepared) {  // a job may have given the node back
    const Job* job = committed.jobs.find(id);
    if (job && job->attempt == attempt && is_active(job->state) &&
        !job->run->unfinished.contains(node.id))
      end(job, {.job = id, .attempt = attempt, .kill_wait = Seconds{0}});
  }
  for (std::uint32_t id : node.jobs.ids()) {
    const Job& job = committed.jobs.at(JobId{id});
    if (job.run->ending || is_ended(job.state)) {
      wire::EndJobOrder order{
          .job = job.id, .attempt = job.attempt, .kill_wait = committed.settings().kill_wait};
      order.announce = job.run->ending.has_value();
      if (job.run->ending) {
        order.message_suffix = end_message(*job.run->ending);
        order.kill_wait += job.run->ending->grace;
        order.notice = stop_notice(committed, job, ledger_.now());
      }
      if (job.run->ending && job.run->ending->from_inside) order.delay = kTimeToHear;
      end(&job, std::move(order));
    } else if (!job.run->preparing) {
      add_launches(job, node, session, news);
    }
  }
  return news;
}

void NodeLinks::add_launches(const Job& job, const Node& node, const Session& session, News& news) {
  const Cluster& committed = ledger_.committed();
  const SitePrograms& programs = committed.settings().programs;
  std::vector<std::string> prolog;  // made once, and only if there is a Prolog
  if (programs.prolog) prolog = prolog_environment(committed, job, node);
  if (programs.prolog_at_start && !session.prepared.contains({job.id, job.attempt})) {
    news.prepared.insert({job.id, job.attempt});
    news.orders.push_back(
        {wire::PrepareOrder{job.id, job.attempt, prolog, programs.defer_batch}, {}, {}});
  }
  for (const auto& [step_id, step] : job.run->steps) {
    if (!step.unfinished.contains(node.id)) continue;
    wire::StepRef ref{job.id, job.attempt, step_id};
    if (session.known.contains(ref)) continue;
    if (step_id == kBatchStep && programs.defer_batch && !is_ready_everywhere(job)) continue;
    if (step_id == kBatchStep) {
      news.orders.push_back(batch_launch(committed, job, host_.step_key(job, step_id)));
    } else if (step_id == kExternStep) {
      news.orders.push_back(extern_launch(committed, job, node.id));
    } else {
      const wire::StepRequest* request = launches_.find(job.id, step_id);
      if (!request) continue;  // end_unknown_steps() ends it when the node registers
      news.orders.push_back(
          step_launch(committed, job, step, node.id, *request, host_.step_key(job, step_id)));
    }
    std::get<wire::LaunchOrder>(news.orders.back().order).launch.prolog_environment = prolog;
    news.known.insert(ref);
  }
}

}  // namespace muster::controller
