// See database_link.h. Handlers of the connection only pass on what comes: all else happens on the
// feed's thread, in order.
#include "slurmctld/database_link.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "io/log.h"

namespace muster::daemon {

namespace {

constexpr Millis kRetryMin{100}, kRetryMax{2000};
constexpr Seconds kCommitTakes{1};  // at most, as a rule

wire::RegisterCluster report_of(const accounts::Registration& registration, std::string stream) {
  return {registration.cluster, registration.tres, std::move(stream)};
}

}  // namespace

std::string DatabaseLink::address() const {
  return fmt::format("{}:{}", parts_.endpoint.host, parts_.endpoint.port);
}

Result<std::optional<AccountsNews>> DatabaseLink::last_known() {
  auto content = parts_.known->load();
  if (!content) return std::unexpected(content.error());
  if (content->version == 0) return std::nullopt;
  return AccountsNews{
      .version = content->version, .rows = std::move(content->rows), .resets = {}, .is_all = true};
}

void DatabaseLink::start(io::Loop& loop, const accounts::Registration& registration,
                         std::function<void(AccountsNews)> on_news) {
  loop_ = &loop;
  on_news_ = std::move(on_news);
  registration_ = report_of(registration, parts_.queue->stream());
  feed_.on_written([this] { send_next(); });
  feed_.post([this] {
    dialer_ = io::Dialer::start(*loop_, {parts_.endpoint},
                                {.on_connected = [this] { on_connected(); },
                                 .on_frame = [this](const std::string& frame) { on_frame(frame); },
                                 .on_lost = [this](const Error& why) { on_lost(why); }},
                                kRetryMin, kRetryMax);
  });
}

void DatabaseLink::stop() { dialer_.reset(); }

void DatabaseLink::follow(const accounts::Registration& registration) {
  feed_.post([this, report = report_of(registration, parts_.queue->stream())] {
    registration_ = report;
    if (is_registered_) send(registration_);
  });
}

void DatabaseLink::send(wire::ControllerReport report) {
  dialer_->send(encode(wire::ControllerFrame{std::move(report)}));
}

void DatabaseLink::on_connected() {
  if (stopping_) return;
  feed_.post([this] {
    is_registered_ = false;
    under_way_ = 0;
    flushes_.clear();
    news_ = {};
    send(registration_);
  });
}

void DatabaseLink::on_lost(const Error& why) {
  if (stopping_) return;
  feed_.post([this, text = why.text()] {
    is_registered_ = false;
    if (text != trouble_)
      log_.write(io::LogLevel::error,
                 fmt::format("slurmdbd at {} is away: {}; its last known accounts are used, and {} "
                             "accounting records wait",
                             address(), text, waiting_rows()));
    trouble_ = text;
  });
}

void DatabaseLink::on_frame(const std::string& frame) {
  if (stopping_) return;
  auto decoded = decode<wire::DatabaseFrame>(frame);
  if (!decoded) {
    log_.write(io::LogLevel::error, "slurmdbd sends what this slurmctld does not understand");
    return;
  }
  feed_.post([this, order = std::move(decoded->order)]() mutable { handle(std::move(order)); });
}

void DatabaseLink::handle(wire::DatabaseOrder order) {
  std::visit([this]<class Order>(Order& o) { on(std::move(o)); }, order);
}

void DatabaseLink::on(const wire::ClusterRegistered& registered) {
  if (!is_registered_)
    io::log_info("slurmdbd at {} is there; {} accounting records wait for it", address(),
                 waiting_rows());
  trouble_.clear();
  if (registered.last_stored > parts_.queue->last_number()) return send_anew();
  is_registered_ = true;
  drop_through(registered.last_stored);
}

// slurmdbd has stored more of our stream than we have written: StateSaveLocation was restored from
// an older copy. New batches would have numbers that it takes for stored, so they get another
// stream.
void DatabaseLink::send_anew() {
  if (auto ok = parts_.queue->begin_stream(); !ok)
    return log_.write(io::LogLevel::error,
                      fmt::format("accounting records wait: {}", ok.error().text()));
  io::log_info(
      "the queue for slurmdbd is an older copy than slurmdbd knows: what waits is sent anew");
  stored_ = 0;
  registration_.stream = parts_.queue->stream();
  send(registration_);
}

void DatabaseLink::on(const wire::RecordsStored& stored) {
  if (stored.number == under_way_) under_way_ = 0;
  drop_through(stored.number);
}

void DatabaseLink::drop_through(std::uint64_t number) {
  stored_ = std::max(stored_, number);
  if (auto ok = parts_.queue->drop_through(number); !ok)
    log_.write(
        io::LogLevel::error,
        fmt::format("records that slurmdbd has stored stay in the queue: {}", ok.error().text()));
  send_next();
}

// One batch is under way at a time. Those that were stored but could not be dropped are sent again,
// which slurmdbd recognizes.
void DatabaseLink::send_next() {
  if (!is_registered_ || under_way_ != 0) return;
  auto next = parts_.queue->first(stored_);
  if (!next)
    return log_.write(io::LogLevel::error,
                      fmt::format("accounting records wait: {}", next.error().text()));
  if (!*next) return answer_flushes();
  under_way_ = (*next)->number;
  send(wire::StoreRecords{(*next)->number, std::move((*next)->records)});
  answer_flushes();
}

void DatabaseLink::answer_flushes() {
  std::erase_if(flushes_, [this](const Flush& flush) {
    const bool is_done = flush.number <= stored_;
    if (is_done) send(wire::RecordsFlushed{flush.id});
    return is_done;
  });
}

void DatabaseLink::on(const wire::FlushRecords& flush) {
  if (!feed_.feed(AccountingFeed::Rows::all)) return;  // then slurmdbd says that we are behind
  flushes_.push_back({flush.id, parts_.queue->last_number()});
  send_next();
  answer_flushes();
}

void DatabaseLink::on(wire::NewsPart part) {
  news_.version = part.version;
  std::ranges::move(part.rows, std::back_inserter(news_.rows));
  std::ranges::move(part.resets, std::back_inserter(news_.resets));
  news_.is_all = part.is_all;
  if (part.more) return;
  AccountsNews news = std::exchange(news_, {});
  keep(news);
  loop_->post([this, news = std::move(news)] {
    if (stopping_) return;
    on_news_(news);
    // Usage that is forgotten has to stay so: first that becomes durable.
    loop_->after(kCommitTakes, [this, version = news.version] {
      if (!stopping_) feed_.post([this, version] { send(wire::NewsHeard{version}); });
    });
  });
}

// If the disk is full, the controller follows the news all the same.
void DatabaseLink::keep(const AccountsNews& news) {
  const AccountsStore::Change change{
      .version = news.version, .rows = news.rows, .transactions = {}, .resets = {}};
  auto kept = news.is_all ? parts_.known->replace(change) : parts_.known->commit(change);
  if (!kept)
    log_.write(io::LogLevel::error, fmt::format("accounts as slurmdbd tells them are not kept: {}",
                                                kept.error().text()));
}

void DatabaseLink::on(const wire::ClusterRefused& refused) {
  log_.write(io::LogLevel::error, fmt::format("slurmdbd refuses this cluster: {}", refused.why));
}

}  // namespace muster::daemon
