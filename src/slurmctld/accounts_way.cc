// How the core hears of accounts: from those that this daemon keeps, or from slurmdbd.
#include <future>
#include <utility>

#include <fmt/format.h>

#include "slurmctld/service.h"

namespace muster::daemon {

namespace {

constexpr std::chrono::seconds kFirstNews{10};

}  // namespace

void Service::AccountsWay::hear(const AccountsNews& news) const {
  service.core_->on_accounts(news, controller::ReplyTo{}, wire::Done{}, service.current_time());
}

Result<void> Service::AccountsWay::start() const {
  if (service.options_.slurmdbd) return start_link();
  if (!service.accounts_.exist()) return {};
  const Configuration& now = service.configuration_;
  auto news = service.accounts_.start(
      registration_of(now.conf, now.cluster, service.options_.host_name), service.current_time());
  if (!news) return std::unexpected(news.error());
  hear(*news);
  return {};
}

// What slurmdbd said last counts until it says something else. A controller that has to enforce
// accounts and was never told any waits for it: otherwise everybody might run.
Result<void> Service::AccountsWay::start_link() const {
  DatabaseLink& link = service.link_.emplace(std::move(*service.options_.slurmdbd),
                                             service.accounting_, service.stopping_);
  auto known = link.last_known();
  if (!known) return std::unexpected(known.error());
  auto first = std::make_shared<std::promise<AccountsNews>>();
  auto is_first = std::make_shared<bool>(true);
  const Configuration& now = service.configuration_;
  link.start(*service.loop_, registration_of(now.conf, now.cluster, service.options_.host_name),
             [&service = service, first, is_first](AccountsNews news) {
               if (std::exchange(*is_first, false)) first->set_value(news);
               if (service.server_)
                 AccountsWay{service}.hear(news);
               else  // the core is not the loop's yet
                 service.early_news_.push_back(std::move(news));
             });
  if (*known) {
    hear(**known);
    return {};
  }
  if (!now.cluster.settings.enforce_associations) return {};
  auto told = first->get_future();
  if (told.wait_for(kFirstNews) == std::future_status::ready) {
    hear(told.get());
    return {};
  }
  return fail(fmt::format(
      "slurmdbd at {} cannot be reached, and has never told this controller its accounts, which "
      "AccountingStorageEnforce needs",
      link.address()));
}

}  // namespace muster::daemon
