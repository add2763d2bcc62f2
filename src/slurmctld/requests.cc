// Answers requests that concern the daemon: ping, configuration, log level, shutdown, scripts.
#include <unistd.h>

#include <chrono>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/version.h"
#include "config/slurm_conf_checks.h"
#include "controller/ledger/request_rules.h"
#include "controller/views/explain.h"
#include "io/debug_flags.h"
#include "io/log.h"
#include "slurmctld/service.h"
#include "slurmctld/start.h"

namespace muster::daemon {

namespace {

wire::Answer set_debug(const wire::DebugRequest& request) {
  io::LogLevel level{};
  if (request.level) {
    if (!io::parse_log_level(*request.level, level))
      return Error{ErrorCode::failure, "invalid debug level: " + *request.level};
    io::set_log_level(level);
    io::log_info("log level set to {}", io::log_level_name(level));
  }
  if (request.flags && request.flags->size() > 1) {
    io::change_debug_flag(std::string_view(*request.flags).substr(1),
                          request.flags->front() == '+');
    io::log_info("debug flags set to {}", io::debug_flags_text());
  }
  return wire::Done{};
}

wire::Answer show_config(const config::SlurmConf& conf, Time started, JobId next_job) {
  wire::ConfigReply answer;
  answer.settings = conf.show_settings();
  for (auto& [key, value] : answer.settings) {
    if (key == "DebugFlags" && !io::debug_flags_text().empty()) value = io::debug_flags_text();
    if (key == "BOOT_TIME") value = format_date(started);
    if (key == "NEXT_JOB_ID") value = std::to_string(next_job.value);
    if (key == "SLURM_VERSION") value = kSlurmVersion;
  }
  return answer;
}

}  // namespace

bool ServiceOptions::is_operator(const io::Peer& peer) const {
  return peer.uid.value == 0 || peer.uid == slurm_user;
}

struct Service::DaemonVerbs {
  Service& service;
  controller::ReplyTo to;
  const io::Peer& peer;

  void operator()(const wire::PingRequest&) const {
    service.reply(to, wire::PingReply{.host = service.options_.host_name,
                                      .mode = "primary",
                                      .epoch = service.published_->cluster.epoch,
                                      .started = service.started_});
  }
  void operator()(const wire::ConfigRequest&) const {
    service.reply(to, show_config(service.configuration_.conf, service.started_,
                                  service.published_->cluster.next_job_id));
  }
  void operator()(const wire::ExplainRequest& question) const {
    service.shares_->run(service.shares_->trials(), to, peer.uid, 0,
                         [&service = service, to = to, viewer = service.viewer_of(peer), question] {
                           const MessageTimer timer(service.messages_,
                                                    type_of(wire::Request(question)), viewer.uid);
                           service.reply(to, controller::explain(*service.published(), viewer,
                                                                 question, service.current_time()));
                         });
  }
  void operator()(const wire::BatchScriptRequest& r) const {
    service.send_batch_script(to, peer, r.job);
  }
  void operator()(const wire::BroadcastRequest& r) const { service.grant_broadcast(to, peer, r); }
  void operator()(const wire::AccountingRequest& r) const { service.ask_accounting(to, peer, r); }
  void operator()(const wire::AccountsRequest& r) const { service.ask_accounts(to, peer, r); }
  void operator()(const wire::ReconfigureRequest&) const { service.reconfigure(to, peer.uid); }
  void operator()(const wire::ShutdownRequest& r) const {
    service.shut_down(to, r.controller_only);
  }
  void operator()(const wire::DebugRequest& r) const { service.reply(to, set_debug(r)); }
  void operator()(const wire::TriggersRequest&) const {
    service.reply(to, wire::TriggersReply{*service.published_->cluster.triggers});
  }
  void operator()(const wire::StatisticsRequest& r) const { service.tell_statistics(to, r.reset); }
};

void Service::answer_by_daemon(controller::ReplyTo to, const io::Peer& peer,
                               const wire::Request& request) {
  const bool may = level_of(peer) == AdminLevel::administers;
  if (auto refusal = controller::refusal_of(controller::rule_of(request), may))
    return reply(to, std::move(*refusal));
  std::visit(
      [&]<class Request>(const Request& r) {
        if constexpr (controller::RuleOf<Request>::value.by == controller::AnsweredBy::daemon)
          DaemonVerbs{*this, to, peer}(r);
      },
      request);
}

void Service::send_batch_script(controller::ReplyTo to, const io::Peer& peer, JobId id) {
  auto snapshot = published_;
  const Job* job = snapshot->cluster.jobs.find(id);
  if (!job) return reply(to, Error{ErrorCode::invalid_job_id, {}});
  if (!options_.is_operator(peer) && job->spec->uid != peer.uid)
    return reply(to, Error{ErrorCode::user_id_missing, {}});
  if (job->own.script_blob.empty()) return reply(to, Error{ErrorCode::batch_only, {}});
  shares_->run(shares_->answers(), to, peer.uid, 0, [this, to, hash = job->own.script_blob] {
    auto script = store_->read_blob(hash);
    if (!script) return reply(to, script.error());
    reply(to, wire::BatchScriptReply{std::move(*script)});
  });
}

void Service::tell_statistics(controller::ReplyTo to, bool reset) {
  if (reset) {
    messages_.reset();
    core_->statistics().begin();
    return reply(to, wire::Done{});
  }
  wire::StatisticsReply told = core_->statistics().reply();
  told.now = current_time();
  told.threads = static_cast<std::uint32_t>(shares_->busy_threads() + 1);  // the loop's
  told.is_planning = plans_aside_;
  told.clock_latency_us = clock_latency_us_;
  told.accounting_rows = accounting_.backlog() + (link_ ? link_->waiting_rows() : 0);
  orders_->fill(told);
  messages_.fill(told);
  reply(to, std::move(told));
}

// Reads the configuration again. If the file is bad, nothing changes and the error is reported.
void Service::reconfigure(controller::ReplyTo to, std::optional<Uid> by) {
  background_->post([this, to, by] {
    auto fresh = options_.load();
    if (!fresh) {
      io::log_error("the configuration in force is kept: {}", fresh.error().text());
      return reply(to, fresh.error());
    }
    for (const std::string& warning : fresh->conf.warnings) io::log_info("{}", warning);
    io::adjust_log(log_options(fresh->conf, options_.foreground, 0));
    io::set_debug_flags(fresh->conf.debug_flags);
    post([this, to, by, fresh = std::move(*fresh)]() mutable {
      if (auto ok = core_->can_reconfigure(fresh.cluster); !ok) return reply(to, ok.error());
      report_needed_restart(to, fresh.conf);
      core_->reconfigure(fresh.cluster, to, current_time());
      for (controller::NodeConnection node : core_->node_connections()) {
        std::vector<controller::OutgoingOrder> orders;
        orders.push_back({wire::ReconfigureOrder{}, {}, {}});
        send(node, core_->cluster().epoch, std::move(orders));
      }
      LogEntry entry = reconfigured(configuration_, fresh);
      entry.by = by;
      log_event(std::move(entry));
      configuration_ = std::move(fresh);
      // QOS of slurm.conf are rows of the site too.
      const auto registration =
          registration_of(configuration_.conf, configuration_.cluster, options_.host_name);
      if (link_) link_->follow(registration);
      accounts_.follow(registration, current_time(), [this](AccountsNews news) {
        post([this, news = std::move(news)] { AccountsWay{*this}.hear(news); });
      });
      shares_->set_limits(configuration_.conf.words);
    });
  });
}

void Service::report_needed_restart(controller::ReplyTo to, const config::SlurmConf& fresh) {
  for (const auto& [key, daemons] :
       config::needing_restart(at_start_, configuration_.conf, fresh)) {
    const std::string text = fmt::format("{} has changed: it needs a restart of {}", key, daemons);
    io::log_error("slurm.conf: {}", text);
    if (to.connection != 0) send_part(*server_, to, wire::Notice{Text(text)}, true);
  }
}

void Service::reconfigure() { reconfigure(controller::ReplyTo{}, {}); }

void Service::shut_down(controller::ReplyTo to, bool controller_only) {
  if (!controller_only)
    for (controller::NodeConnection node : core_->node_connections()) {
      std::vector<controller::OutgoingOrder> orders;
      orders.push_back({wire::ShutdownOrder{}, {}, {}});
      send(node, core_->cluster().epoch, std::move(orders));
    }
  reply(to, wire::Done{});
  // First send the answer and the orders.
  orders_->post([this] { loop_->after(Millis{200}, options_.stop); });
}

}  // namespace muster::daemon
