// add, modify and remove: a preview, a question, and then the change itself. What is confirmed is
// what was shown: the server refuses it if somebody else was quicker.
#include <chrono>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/text/strings.h"
#include "cli/lib/name_lookup.h"
#include "cli/sacctmgr/preview.h"
#include "cli/sacctmgr/problems.h"
#include "cli/sacctmgr/session.h"

namespace muster::cli {

namespace {

using wire::AccountsVerb;
using wire::Entity;

// --- the question ---
constexpr int kSecondsToDecide = 30;

// The next character somebody types; nothing at the end of the input, or when the time is over.
std::optional<char> read_answer(std::chrono::steady_clock::time_point until) {
  using std::chrono::milliseconds;
  const auto left =
      std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now()).count();
  if (left <= 0) return std::nullopt;
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, static_cast<int>(left)) <= 0) return std::nullopt;
  char letter = 0;
  return read(STDIN_FILENO, &letter, 1) == 1 ? std::optional(letter) : std::nullopt;
}

// What else is on the line was no answer.
void forget_line() {
  if (isatty(STDIN_FILENO) != 0) {
    tcflush(STDIN_FILENO, TCIFLUSH);
    return;
  }
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  for (char letter = 0; letter != '\n' && poll(&input, 1, 0) > 0;)
    if (read(STDIN_FILENO, &letter, 1) != 1) return;
}

// --- what has to be there ---
bool names_something(const SiteLine& line) {
  return !line.request.where.empty() || !line.request.jobs.empty();
}

std::string lacks(const SiteLine& line) {
  const wire::AccountsRequest& request = line.request;
  auto note = [&](std::string_view key) {
    return refusal_text(line, {wire::AccountsProblem::missing, request.entity, Text(key), {}}, {});
  };
  if (line.command == SiteCommand::modify && request.settings.empty())
    return " You didn't give me anything to set\n";
  if (request.entity == Entity::coordinator && line.command == SiteCommand::add) {
    if (!line.has_condition("Name")) return note("Name");
    if (!line.has_condition("Account")) return note("Account");
  }
  if (line.command == SiteCommand::add && !line.has_condition("Name")) return note("Name");
  if (line.command == SiteCommand::remove && !names_something(line)) return note("Name");
  if (request.entity == Entity::job && request.jobs.empty())
    return " You need to specify a job: where jobid=12\n";
  return {};
}

// A user without an id cannot submit jobs: whoever is there to be asked is asked.
bool adds_known_users(const SiteSession& session, const SiteLine& line,
                      const wire::AccountsReply& reply) {
  if (line.request.entity != Entity::user || session.immediate) return true;
  for (const wire::AccountsChange& change : reply.changes) {
    if (change.verb != AccountsVerb::add || change.entity != Entity::user) continue;
    if (find_user(change.name)) continue;
    fmt::print("There is no uid for user '{}'\n", change.name.view());
    if (!agrees(session, "Are you sure you want to continue?")) return false;
  }
  return true;
}

std::string valid_qos(SiteSession& session) {
  wire::AccountsRequest all;
  all.entity = Entity::qos;
  auto reply = session.ask(all);
  std::string names;
  if (reply)
    for (const wire::AccountsRow& row : reply->rows)
      if (auto* qos = std::get_if<QosRow>(&row))
        names.append(names.empty() ? "" : ",").append(qos->qos.name.view());
  return names;
}

void refuse(SiteSession& session, const SiteLine& line, const wire::AccountsNote& note) {
  ProblemContext context{.valid_qos = {}, .cluster = session.own_cluster()};
  if (note.problem == wire::AccountsProblem::unknown_qos) context.valid_qos = valid_qos(session);
  session.fail(refusal_text(line, note, context));
}

// Names that were not done while others were, or why nothing was.
bool say_notes(SiteSession& session, const SiteLine& line, const wire::AccountsReply& reply) {
  bool any = false;
  for (const wire::AccountsNote& note : reply.notes)
    if (const std::string text = note_text(line, note); !text.empty()) {
      session.fail(text);
      any = true;
    }
  return any;
}

void say_nothing_changed(SiteSession& session, const SiteLine& line,
                         const wire::AccountsReply& reply) {
  session.exit_code = 1;
  if (say_notes(session, line, reply)) {
    if (line.request.entity == Entity::user) session.fail(" No associations or wckeys created.\n");
    return;
  }
  if (line.request.entity == Entity::cluster && line.command == SiteCommand::modify)
    fmt::print("{}", preview_text(line, reply));  // the settings alone
  for (const wire::AccountsNote& note : reply.notes)
    if (note.problem == wire::AccountsProblem::exists && note.entity == Entity::cluster)
      fmt::print(" This cluster {} already exists.  Not adding.\n", note.name.view());
  const bool says_which = line.request.entity == Entity::cluster && !reply.notes.empty() &&
                          line.command == SiteCommand::add;
  if (!says_which) fmt::print("{}", nothing_text(line.command));
}

}  // namespace

bool agrees(const SiteSession& session, std::string_view question) {
  if (session.immediate) return true;
  fmt::print("{} (You have {} seconds to decide)\n(N/y): ", question, kSecondsToDecide);
  std::fflush(stdout);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kSecondsToDecide);
  for (;;) {
    const auto answer = read_answer(until);
    fmt::print("\n");
    if (answer == 'y' || answer == 'Y') {
      forget_line();
      return true;
    }
    if (!answer || *answer == 'n' || *answer == 'N' || *answer == '\n') {
      if (answer && *answer != '\n') forget_line();
      return false;
    }
    forget_line();
    fmt::print("Y or N please\n(N/y): ");
    std::fflush(stdout);
  }
}

bool carry_out(SiteSession& session, SiteLine& line) {
  wire::AccountsRequest& request = line.request;
  request.dry_run = !session.immediate;
  auto reply = session.ask(request);
  if (!reply) return false;
  if (reply->refusal) {
    refuse(session, line, *reply->refusal);
    return false;
  }
  if (reply->changes.empty()) {
    say_nothing_changed(session, line, *reply);
    return false;
  }
  if (!adds_known_users(session, line, *reply)) {
    session.exit_code = 1;
    return false;
  }
  fmt::print("{}", preview_text(line, *reply));
  say_notes(session, line, *reply);
  if (session.immediate) return true;
  if (!agrees(session, kCommitQuestion)) {
    fmt::print(" Changes Discarded\n");
    return false;
  }
  request.dry_run = false;
  request.expected_version = reply->version;
  auto done = session.ask(request);
  if (!done) return false;
  if (done->refusal) refuse(session, line, *done->refusal);
  return !done->refusal;
}

void change_site(SiteSession& session, SiteCommand command, SiteWords words) {
  if (session.read_only) return session.fail("Can't run this command in readonly mode.\n");
  auto line = read_site_line(command, words, clock_time());
  if (!line) return session.fail(line.error());
  if (line->special == Special::federation)
    return session.fail("sacctmgr: error: federations of clusters are not supported\n");
  if (const std::string lacking = lacks(*line); !lacking.empty()) return session.fail(lacking);
  if (line->request.entity == Entity::job) return modify_jobs(session, *line);
  carry_out(session, *line);
}

}  // namespace muster::cli
