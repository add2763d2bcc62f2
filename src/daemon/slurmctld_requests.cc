// Requests that concern the daemon: ping, configuration, log level, shutdown, accounting queries.
#include <unistd.h>

#include <chrono>

#include "accounting/query.h"
#include "base/codec.h"
#include "base/date.h"
#include "base/version.h"
#include "config/slurm_conf_checks.h"
#include "controller/explain.h"
#include "daemon/slurmctld_service.h"
#include "io/debug_flags.h"
#include "io/log.h"

namespace muster::daemon {

bool Service::is_operator(Uid user) const { return user.value == 0 || user == options_.slurm_user; }

// Names are looked up only where something is private.
controller::Viewer Service::viewer_of(const io::Peer& peer) {
  controller::Viewer viewer{peer.uid, is_operator(peer), {}};
  if (!viewer.is_operator && published_->cluster.settings().private_data.any())
    viewer.name = user_names_.of(peer.uid);
  return viewer;
}

bool Service::on_daemon_request(controller::ReplyTo to, const io::Peer& peer,
                                const wire::Request& request) {
  if (std::holds_alternative<wire::PingRequest>(request)) {
    reply(to, wire::PingReply{.host = options_.host_name,
                              .mode = "primary",
                              .epoch = published_->cluster.epoch,
                              .started = started_});
  } else if (std::holds_alternative<wire::ConfigRequest>(request)) {
    reply(to, show_config());
  } else if (auto* question = std::get_if<wire::ExplainRequest>(&request)) {
    run_fairly(*trials_, to, peer.uid, 0,
               [this, to, viewer = viewer_of(peer), question = *question] {
                 reply(to, controller::explain(*published(), viewer, question, current_time()));
               });
  } else if (auto* script = std::get_if<wire::BatchScriptRequest>(&request)) {
    send_batch_script(to, peer, script->job);
  } else if (auto* broadcast = std::get_if<wire::BroadcastRequest>(&request)) {
    grant_broadcast(to, peer, *broadcast);
  } else if (auto* accounting = std::get_if<wire::AccountingRequest>(&request)) {
    if (!accounting_)
      return reply(to, Error{ErrorCode::failure, "Slurm accounting storage is disabled"}), true;
    const auto only_of =
        controller::Visibility(published_->cluster, viewer_of(peer)).only_records_of();
    run_for_sacct(to, peer.uid, [this, to, only_of, request = *accounting] {
      feed_accounting(Rows::all);
      auto rows = accounting::query(*accounting_, request, current_time(), only_of);
      if (!rows) return reply(to, rows.error());
      wire::AccountingReply answer;
      for (const AccountingRow& row : *rows) {
        if (answer.rows.size() == 2000) {
          send_part(to, std::move(answer), true);
          answer = {};
        }
        answer.rows.push_back(encode(row));
      }
      reply(to, std::move(answer));
    });
  } else if (std::holds_alternative<wire::ReconfigureRequest>(request)) {
    if (!is_operator(peer)) return reply(to, Error{ErrorCode::user_id_missing, {}}), true;
    reconfigure(to);
  } else if (auto* shutdown = std::get_if<wire::ShutdownRequest>(&request)) {
    if (!is_operator(peer)) return reply(to, Error{ErrorCode::user_id_missing, {}}), true;
    shut_down(to, shutdown->controller_only);
  } else if (auto* debug = std::get_if<wire::DebugRequest>(&request)) {
    if (!is_operator(peer)) return reply(to, Error{ErrorCode::user_id_missing, {}}), true;
    io::LogLevel level{};
    if (debug->level) {
      if (!io::parse_log_level(*debug->level, level))
        return reply(to, Error{ErrorCode::failure, "invalid debug level: " + *debug->level}), true;
      io::set_log_level(level);
      io::log_info("log level set to {}", io::log_level_name(level));
    }
    if (debug->flags && debug->flags->size() > 1) {
      io::change_debug_flag(std::string_view(*debug->flags).substr(1),
                            debug->flags->front() == '+');
      io::log_info("debug flags set to {}", io::debug_flags_text());
    }
    reply(to, wire::Done{});
  } else {
    return false;
  }
  return true;
}

wire::Answer Service::show_config() {
  auto snapshot = published_;
  wire::ConfigReply answer;
  answer.settings = configuration_.conf.show_settings();
  for (auto& [key, value] : answer.settings) {
    if (key == "DebugFlags" && !io::debug_flags_text().empty()) value = io::debug_flags_text();
    if (key == "BOOT_TIME") value = format_date(started_);
    if (key == "NEXT_JOB_ID") value = std::to_string(snapshot->cluster.next_job_id.value);
    if (key == "SLURM_VERSION") value = kSlurmVersion;
  }
  return answer;
}

void Service::send_batch_script(controller::ReplyTo to, const io::Peer& peer, JobId id) {
  auto snapshot = published_;
  const Job* job = snapshot->cluster.jobs.find(id);
  if (!job) return reply(to, Error{ErrorCode::invalid_job_id, {}});
  if (!is_operator(peer) && job->spec->uid != peer.uid)
    return reply(to, Error{ErrorCode::user_id_missing, {}});
  if (job->spec->script_blob.empty()) return reply(to, Error{ErrorCode::batch_only, {}});
  run_fairly(*answers_, to, peer.uid, 0, [this, to, hash = job->spec->script_blob] {
    auto script = store_->read_blob(hash);
    if (!script) return reply(to, script.error());
    reply(to, wire::BatchScriptReply{std::move(*script)});
  });
}

// A bad file changes nothing and says why.
void Service::reconfigure(controller::ReplyTo to) {
  background_->post([this, to] {
    auto fresh = options_.load();
    if (!fresh) {
      io::log_error("the configuration in force is kept: {}", fresh.error().text());
      return reply(to, fresh.error());
    }
    for (const std::string& warning : fresh->conf.warnings) io::log_info("{}", warning);
    io::LogLevel level{};
    if (io::parse_log_level(fresh->conf.slurmctld_debug, level)) io::set_log_level(level);
    io::set_debug_flags(fresh->conf.debug_flags);
    post([this, to, fresh = std::move(*fresh)]() mutable {
      if (auto ok = core_->can_reconfigure(fresh.cluster); !ok) return reply(to, ok.error());
      tell_needed_restart(to, fresh.conf);
      core_->reconfigure(fresh.cluster, to, current_time());
      for (controller::NodeConnection node : core_->node_connections()) {
        std::vector<controller::OutgoingOrder> orders;
        orders.push_back({wire::ReconfigureOrder{}, {}, {}});
        send(node, core_->cluster().epoch, std::move(orders));
      }
      configuration_ = std::move(fresh);
      set_limits();
    });
  });
}

void Service::tell_needed_restart(controller::ReplyTo to, const config::SlurmConf& fresh) {
  for (const std::string& key : config::needing_restart(configuration_.conf, fresh)) {
    const std::string text = key + " has changed: it needs a restart of slurmctld";
    io::log_error("slurm.conf: {}", text);
    if (to.connection != 0) send_part(to, wire::Notice{Text(text)}, true);
  }
}

void Service::reconfigure() { reconfigure(controller::ReplyTo{}); }

void Service::shut_down(controller::ReplyTo to, bool controller_only) {
  if (!controller_only)
    for (controller::NodeConnection node : core_->node_connections()) {
      std::vector<controller::OutgoingOrder> orders;
      orders.push_back({wire::ShutdownOrder{}, {}, {}});
      send(node, core_->cluster().epoch, std::move(orders));
    }
  reply(to, wire::Done{});
  // The answer and the orders leave first.
  sender_->post([this] { loop_->after(Millis{200}, options_.stop); });
}

}  // namespace muster::daemon
