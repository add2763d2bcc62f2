// scontrol show licenses: totals, and how many are used by jobs and kept by reservations.
#include "cli/scontrol/licenses.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text/strings.h"

namespace muster::cli {

void count_licenses(std::string_view text, std::uint64_t LicenseCount::* which,
                    LicenseCounts& counts) {
  for (std::string_view part : split(text, ',')) {
    const std::size_t mark = part.find_first_of(":=");
    const std::string_view name = part.substr(0, mark);
    auto number = mark == part.npos ? std::optional<std::uint64_t>(1)
                                    : parse_number<std::uint64_t>(part.substr(mark + 1));
    if (auto known = counts.find(name); known != counts.end() && number)
      known->second.*which += *number;
  }
}

std::string license_text(const std::string& name, const LicenseCount& count, bool one_line) {
  const std::uint64_t free = count.total - std::min(count.total, count.used);
  return fmt::format("LicenseName={}{}Total={} Used={} Free={} Reserved={} Remote=no\n", name,
                     one_line ? " " : "\n    ", count.total, count.used, free, count.reserved);
}

namespace {

// The licenses of slurm.conf.
LicenseCounts configured(const wire::ConfigReply& config) {
  LicenseCounts counts;
  auto setting =
      std::ranges::find(config.settings, "Licenses", &std::pair<std::string, std::string>::first);
  if (setting == config.settings.end() || setting->second == "(null)") return counts;
  for (std::string_view part : split(setting->second, ','))
    counts.try_emplace(std::string(part.substr(0, part.find_first_of(":="))));
  count_licenses(setting->second, &LicenseCount::total, counts);
  return counts;
}

Result<void> count_used(ScontrolSession& session, LicenseCounts& counts) {
  auto to = session.connect();
  if (!to) return std::unexpected(to.error());
  wire::JobsRequest request;
  request.filter.states = {JobState::running, JobState::suspended};
  return (*to)->stream(request, [&](wire::Answer&& part) {
    if (auto* reply = std::get_if<wire::JobsReply>(&part))
      for (const wire::JobView& view : reply->jobs)
        count_licenses(view.job->spec->licenses, &LicenseCount::used, counts);
  });
}

Result<void> count_reserved(ScontrolSession& session, LicenseCounts& counts) {
  auto reply = session.ask_for<wire::ReservationsReply>(wire::ReservationsRequest{});
  if (!reply) return std::unexpected(reply.error());
  const Time now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  for (const wire::ReservationView& view : reply->reservations)
    if (view.reservation.is_active(now))
      count_licenses(view.reservation.licenses, &LicenseCount::reserved, counts);
  return {};
}

}  // namespace

void show_licenses(ScontrolSession& session, const std::string& name) {
  auto config = session.ask_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!config) return session.error("slurm_load_licenses error: {}", config.error().text());
  LicenseCounts counts = configured(*config);
  if (counts.empty()) {
    if (!session.quiet) fmt::print("No licenses configured in Slurm.\n");
    return;
  }
  for (auto count : {count_used, count_reserved})
    if (auto done = count(session, counts); !done)
      return session.error("slurm_load_licenses error: {}", done.error().text());
  for (const auto& [license, count] : counts)
    if (name.empty() || name == license)
      fmt::print("{}", license_text(license, count, session.one_line));
}

}  // namespace muster::cli
