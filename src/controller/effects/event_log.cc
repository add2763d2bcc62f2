// See event_log.h.
#include "controller/effects/event_log.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "controller/effects/log_facts.h"
#include "controller/effects/node_log.h"

namespace muster::controller {

namespace {

std::string exit_text(std::uint32_t wait_status) {  // as sacct shows it
  return fmt::format("{}:{}", wait_status >> 8 & 0xff, wait_status & 0x7f);
}

std::string_view mode_name(PreemptMode mode) {
  switch (mode) {
    case PreemptMode::suspend:
      return "SUSPEND";
    case PreemptMode::requeue:
      return "REQUEUE";
    default:
      return "CANCEL";
  }
}

// Events that say nothing of their own are not here.
struct Narrator {
  const Cluster& before;
  const Asker& asker;
  std::optional<LogEntry> entry = {};

  const Job& job(JobId id) const { return before.jobs.at(id); }
  void tell(LogFacts& facts) { entry = facts.take(); }

  // --- jobs ---
  void operator()(const JobSubmitted& e) {
    LogFacts facts("job submitted");
    const JobSpec& spec = *e.job.spec;
    facts.add_job(e.job).add("User", spec.user_name).add("Account", e.job.account);
    facts.add("Partition", e.job.partitions.view())
        .add("QOS", e.job.qos)
        .add("JobName", e.job.own.name);
    if (e.job.time_limit > Minutes{0}) facts.add("TimeLimit", format_limit(e.job.time_limit));
    if (e.job.hold != Hold::none) facts.add("Hold", "YES");
    tell(facts);
  }
  void operator()(const JobStarted& e) {
    LogFacts facts("job started");
    std::vector<NodeId> nodes;
    std::uint64_t cpus = 0;
    for (const NodeShare& share : e.allocation) {
      nodes.push_back(share.node);
      cpus += share.cpus.size();
    }
    facts.add_job(job(e.job)).add("User", job(e.job).spec->user_name);
    facts.add("Partition", e.partition).add("NumCPUs", cpus).add_nodes(before, nodes);
    tell(facts);
  }
  void operator()(const JobsEnding& e) {
    const Ending& ending = e.ending;
    LogFacts facts(ending.requeue                          ? "job told to end and be requeued"
                   : ending.becomes == JobState::cancelled ? "job cancelled"
                                                           : "job told to end");
    facts.add("JobId", e.jobs.text()).add("State", state_name(ending.becomes));
    facts.add("Reason", ending.reason);
    tell(facts);
  }
  void operator()(const PendingJobsEnded& e) {
    LogFacts facts(e.state == JobState::cancelled ? "job cancelled" : "job ended");
    facts.add("JobId", e.jobs.text()).add("State", state_name(e.state)).add("Reason", e.reason);
    tell(facts);
  }
  void operator()(const TasksCancelled& e) {
    LogFacts facts("job cancelled");
    facts.add("JobId", e.array.value).add("ArrayTasks", e.tasks.text()).add("State", "CANCELLED");
    tell(facts);
  }
  void operator()(const JobEnded& e) {
    LogFacts facts("job ended");
    const Job& ended = job(e.job);
    facts.add_job(ended).add("User", ended.spec->user_name).add("State", state_name(e.state));
    facts.add("ExitCode", exit_text(e.exit_status));
    facts.add("RunTime", format_elapsed(std::chrono::floor<Seconds>(
                             std::max(e.at - ended.run->started, Millis{0}))));
    if (e.reason != "None") facts.add("Reason", e.reason);
    tell(facts);
  }
  void operator()(const JobRequeued& e) {
    LogFacts facts("job requeued");
    facts.add_job(job(e.job)).add("User", job(e.job).spec->user_name);
    if (e.hold != Hold::none) facts.add("Hold", "YES");
    facts.add("Reason", e.reason);
    tell(facts);
  }
  void operator()(const JobPreempted& e) {
    LogFacts facts("job preempted");
    facts.add_job(job(e.job)).add("User", job(e.job).spec->user_name);
    if (e.preemption.by) facts.add("ForJobId", e.preemption.by.value);
    facts.add("PreemptMode", mode_name(e.preemption.mode));
    tell(facts);
  }
  void operator()(const JobsHeld& e) {
    LogFacts facts(e.hold == Hold::none ? "job released" : "job held");
    facts.add("JobId", e.jobs.text()).add("Reason", e.reason);
    tell(facts);
  }
  void operator()(const JobSuspended& e) {
    if (e.by_turn) return;  // gang scheduling does it all the time
    LogFacts facts(e.resumed ? "job resumed" : "job suspended");
    facts.add_job(job(e.job));
    tell(facts);
  }
  void operator()(const JobShrunk& e) {
    LogFacts facts("job gave nodes back");
    facts.add_job(job(e.job)).add_nodes(before, e.nodes);
    tell(facts);
  }
  void operator()(const JobUpdated& e) {
    if (!asker.by) return;
    LogFacts facts("job updated");
    facts.add("JobId", e.job.value).add("Changes", asker.changes);
    tell(facts);
  }

  // --- the cluster ---
  void operator()(const NodeAdded& e) {
    LogFacts facts("node added");
    facts.add("NodeName", e.config.name);
    tell(facts);
  }
  void operator()(const NodeRemoved& e) {
    LogFacts facts("node removed");
    facts.add("NodeName", before.nodes.at(e.node).config.name);
    tell(facts);
  }
  void operator()(const PartitionChanged& e) {
    const bool known = before.find_partition(e.partition.name) != nullptr;
    LogFacts facts(e.removed ? "partition deleted"
                   : known   ? "partition updated"
                             : "partition created");
    facts.add("PartitionName", e.partition.name).add("Changes", asker.changes);
    tell(facts);
  }
  void operator()(const ReservationChanged& e) {
    const Reservation& now = e.reservation;
    const auto known = std::ranges::find(*before.reservations, now.name, &Reservation::name);
    LogFacts facts(what_happened(e, known == before.reservations->end() ? nullptr : &*known));
    facts.add("ReservationName", now.name);
    if (!e.removed) {
      facts.add_nodes(before, now.nodes).add("Licenses", now.licenses.view());
      facts.add("StartTime", format_date(now.start)).add("EndTime", format_date(now.end));
      facts.add("Users", names(now.users)).add("Accounts", names(now.accounts));
      facts.add("Flags", flags_text(now)).add("Changes", asker.changes);
    }
    tell(facts);
  }
  std::string_view what_happened(const ReservationChanged& e, const Reservation* known) const {
    if (e.removed) return asker.by ? "reservation deleted" : "reservation ended";
    if (!known) return "reservation created";
    if (!known->begun && e.reservation.begun) return "reservation began";
    return asker.by ? "reservation updated" : "reservation changed";
  }
  static std::string names(const std::vector<Text>& list) {
    std::vector<std::string> texts;
    for (const Text& each : list) texts.push_back(each.str());
    return join(texts, ",");
  }

  template <class Other>
  void operator()(const Other&) {}
};

// The keys that only say which job, node, partition or reservation.
bool names_the_record(std::string_view key) {
  constexpr std::array<std::string_view, 7> kNames{
      "JobId", "JobName", "NodeName", "PartitionName", "Reservation", "ReservationName", "StepId"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return iequals(name, key); });
}

std::string merged_names(const std::vector<std::string>& values, std::string_view name) {
  return shortened(name == "NodeName" ? compress_hostlist(values) : join(values, ","));
}

}  // namespace

Asker asker_of(Uid caller, const wire::Request& request) {
  Asker asker{.by = caller, .changes = {}};
  const auto* update = std::get_if<wire::UpdateRequest>(&request);
  if (!update) return asker;
  for (std::size_t i = 0; i < update->settings.size(); ++i) {
    const auto& [key, value] = update->settings[i];
    if (asker.changes.size() > kLongestFact) break;
    if (i == 0 && names_the_record(key)) continue;
    if (!asker.changes.empty()) asker.changes += ' ';
    asker.changes += key + '=' + shortened(value);
  }
  return asker;
}

EventLog::EventLog(const Cluster& before, const Event& event, const Asker& asker) : asker_(asker) {
  if (const NodeId node = changed_node(event)) {
    node_ = before.nodes.at(node);
    return;
  }
  Narrator narrator{before, asker};
  std::visit(narrator, event);
  entry_ = std::move(narrator.entry);
}

void EventLog::add_to(std::vector<LogEntry>& log, const Cluster& after) && {
  if (node_) entry_ = entry_for(*node_, after.nodes.at(node_->id), asker_);
  if (!entry_) return;
  entry_->by = asker_.by;
  log.push_back(std::move(*entry_));
}

std::vector<LogEntry> merged(std::vector<LogEntry> log) {
  auto is_alike = [](const LogEntry& a, const LogEntry& b) {
    return a.what == b.what && a.by == b.by && a.facts.size() == b.facts.size() &&
           !a.facts.empty() && a.facts.front().name == b.facts.front().name &&
           std::equal(a.facts.begin() + 1, a.facts.end(), b.facts.begin() + 1);
  };
  std::vector<LogEntry> lines;
  for (std::size_t first = 0, next = 1; first < log.size(); first = next++) {
    while (next < log.size() && is_alike(log[first], log[next])) ++next;
    if (next - first > 1) {
      LogFact& subject = log[first].facts.front();
      std::vector<std::string> values;
      for (std::size_t i = first; i < next; ++i) values.push_back(log[i].facts.front().value);
      subject.value = merged_names(values, subject.name);
      subject.is_number = false;
    }
    lines.push_back(std::move(log[first]));
  }
  return lines;
}

}  // namespace muster::controller
