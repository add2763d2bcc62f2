// Texts of what the server refuses and notes.
#include "cli/sacctmgr/problems.h"

#include <fmt/format.h>

#include "cli/lib/errors.h"

namespace muster::cli {

namespace {

using Problem = wire::AccountsProblem;
using wire::Entity;

constexpr std::string_view kAskAdmin = "        Contact your admin to add this account.\n";

std::string error(std::string_view text) { return error_lines("sacctmgr", text); }

std::string_view entity_word(Entity entity) {
  switch (entity) {
    case Entity::cluster:
      return "cluster";
    case Entity::user:
      return "user";
    case Entity::qos:
      return "qos";
    case Entity::wckey:
      return "wckey";
    case Entity::resource:
      return "resource";
    default:
      return "account";
  }
}

std::string entity_words(Entity entity) {
  if (entity == Entity::qos) return "QOS";
  if (entity == Entity::coordinator) return "coordinator";
  return fmt::format("{}s", entity_word(entity));
}

std::string denied(const SiteLine& line) {
  constexpr std::string_view kWhy = "Access/permission denied";
  if (line.command == SiteCommand::show) return error(kWhy);
  if (line.command == SiteCommand::add)
    return fmt::format(" Problem adding {}: {}\n", entity_words(line.request.entity), kWhy);
  return error("Your user doesn't have privilege to perform this action") +
         fmt::format(" Error with request: {}\n", kWhy);
}

std::string missing(const SiteLine& line, std::string_view key) {
  const bool adds = line.command == SiteCommand::add;
  if (line.request.entity == Entity::coordinator)
    return fmt::format(" You need to specify {} list here.\n",
                       key == "Account" ? "an account" : "a user");
  if (!adds) return " No conditions given to remove, not executing.\n";
  if (line.request.entity == Entity::user && key == "Account")
    return " Need name of account to add user to.\n";
  return fmt::format(" Need name of {} to add.\n", entity_word(line.request.entity));
}

std::string unknown_account(const SiteLine& line, std::string_view name, std::string_view cluster) {
  if (line.request.entity == Entity::coordinator)
    return fmt::format(" You specified a non-existent account '{}'.\n", name);
  if (line.request.entity == Entity::user)
    return fmt::format(" This account '{}' doesn't exist.\n{}", name, kAskAdmin);
  if (line.command == SiteCommand::modify)
    return fmt::format(" Parent Account {} doesn't exist.\n", name);
  return fmt::format(
      " Parent account '{}' doesn't exist on cluster {}\n{} No associations created.\n", name,
      cluster, kAskAdmin);
}

std::string unknown_qos(const SiteLine& line, std::string_view name, std::string_view valid) {
  for (const wire::Setting& setting : line.request.settings)
    if (setting.key == "DefaultQOS" && setting.value == name)
      return fmt::format("You gave a bad default qos '{}'.  Use 'list qos' to get complete list.\n",
                         name);
  std::string text = error(fmt::format("You gave a bad qos '{}'. Valid QOS's are {}", name, valid));
  for (const ShownSetting& setting : line.shown)
    if (setting.key == "QOS") text += line.unknown_option(setting.typed);
  return text;
}

std::string default_account(const wire::AccountsNote& note, std::string_view cluster) {
  return fmt::format(
      " Error with request: You can not remove the default account of a user\n"
      "  C = {:<15.15} U = {:<9}\n"
      " Please either remove the accounts listed above from list and resubmit,\n"
      " or change these users' default accounts to remove the account(s).\n"
      " Changes Discarded\n",
      note.detail.empty() ? cluster : std::string_view(note.detail), note.name.view());
}

std::string jobs_active(const wire::AccountsNote& note) {
  return fmt::format(
      " Error with request: Job(s) active, cancel job(s) before remove\n"
      "  JobID = {} C = {}\n Changes Discarded\n",
      note.detail, note.name.view());
}

std::string root_stays(const SiteLine& line, std::string_view name) {
  if (line.request.entity == Entity::qos)
    return fmt::format(" The qos {} cannot be removed.\n", name);
  if (line.request.entity == Entity::user)
    return fmt::format(" You are not allowed to remove user {}.\n", name);
  if (line.command == SiteCommand::modify) return " The root account cannot be moved.\n";
  return " You are not allowed to remove the root account.\n Use remove cluster instead.\n";
}

}  // namespace

std::string refusal_text(const SiteLine& line, const wire::AccountsNote& note,
                         const ProblemContext& context) {
  const std::string_view name = note.name.view();
  switch (note.problem) {
    case Problem::denied:
      return denied(line);
    case Problem::version_changed:
      return error("somebody else has changed accounts meanwhile; nothing was done, ask again");
    case Problem::unknown_key:
      return fmt::format(" Unknown option: {}\n", name);
    case Problem::bad_value:
      return error(fmt::format("Invalid value for {}: expected {}", name, note.detail));
    case Problem::missing:
      return missing(line, name);
    case Problem::unknown_cluster:
      return fmt::format(
          " This cluster '{}' doesn't exist.\n        Contact your admin to add it to "
          "accounting.\n",
          name);
    case Problem::unknown_account:
      return unknown_account(line, name, note.detail.empty() ? context.cluster : note.detail);
    case Problem::unknown_association:
      if (line.request.entity == Entity::user && line.command == SiteCommand::modify)
        return fmt::format(
            " Can't modify because these users aren't associated with new default account "
            "'{}'...\n  U = {} C = {}\n",
            note.detail, name, context.cluster);
      return unknown_account(line, name, note.detail);
    case Problem::unknown_user:
      return fmt::format(" You specified a non-existent user '{}'.\n", name);
    case Problem::unknown_qos:
      return unknown_qos(line, name, context.valid_qos);
    case Problem::unknown_wckey:
      return error(fmt::format("no such wckey: {}", name));
    case Problem::unknown_resource:
      return error(fmt::format("no such resource: {}", name));
    case Problem::unknown_job:
      return error(fmt::format("Invalid job id specified: {}", name));
    case Problem::default_account:
      return default_account(note, context.cluster);
    case Problem::jobs_active:
      return jobs_active(note);
    case Problem::in_use:
      return error(fmt::format("{} is in use: {}", name, note.detail));
    case Problem::has_children:
      return error(fmt::format("account {} has accounts or users below it", name));
    case Problem::is_root:
      return root_stays(line, name);
    case Problem::own_child:
      return error(fmt::format("account {} cannot be put below itself", name));
    case Problem::defined_in_file:
      return error(fmt::format("{} is defined in {}: change it there", name, note.detail));
    case Problem::too_many:
      return error(fmt::format("too many at once: {}", note.detail));
    case Problem::not_supported:
      return error(note.detail.empty() ? "not supported yet" : note.detail);
    case Problem::failed:
      return error(note.detail);
    case Problem::exists:
    case Problem::same_value:
    case Problem::none:
      break;
  }
  return {};
}

std::string note_text(const SiteLine& line, const wire::AccountsNote& note) {
  if (line.command == SiteCommand::add &&
      (note.problem == Problem::unknown_account || note.problem == Problem::unknown_association))
    return unknown_account(line, note.name.view(), note.detail);
  if (line.request.entity == Entity::coordinator && note.problem == Problem::unknown_user)
    return fmt::format(" You specified a non-existent user '{}'.\n", note.name.view());
  return {};
}

}  // namespace muster::cli
