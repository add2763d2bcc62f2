// dump: the accounts and users of a cluster as a file that `load` and the reference read.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/sacctmgr/session.h"
#include "cli/sacctmgr/site_file.h"

namespace muster::cli {

namespace {

constexpr std::string_view kIntroduction =
    "# Accounts and users of a cluster, as `sacctmgr dump` writes and `sacctmgr load` reads them.\n"
    "# First the cluster, then below each \"Parent\" line the users and accounts that are in it:\n"
    "#   Cluster - 'name':Fairshare=1:QOS='normal'\n"
    "#   Parent - 'root'\n"
    "#   Account - 'physics':Description='physics':Organization='science':Fairshare=10:MaxJobs=4\n"
    "#   Parent - 'physics'\n"
    "#   User - 'ada':DefaultAccount='physics':Fairshare=1:MaxTRESPerJob=cpu=8\n"
    "# A parent has to be there before what is in it. Settings may be left out.\n";

// "FILE" or "file=FILE", and the cluster.
struct DumpWords {
  std::string cluster, file;
};

std::optional<DumpWords> read_dump_words(SiteSession& session, SiteWords words) {
  DumpWords read;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string_view key = std::string_view(word).substr(0, equals);
    if (equals == word.npos || is_short_for(key, "clusters", 1) || is_short_for(key, "names", 1)) {
      if (!read.cluster.empty()) {
        session.fail(" Can only dump one cluster.\n");
        return std::nullopt;
      }
      read.cluster = equals == word.npos ? word : word.substr(equals + 1);
    } else if (is_short_for(key, "file", 1)) {
      read.file = word.substr(equals + 1);
    } else {
      session.fail(fmt::format(" Unknown option: {}\n", word));
      return std::nullopt;
    }
  }
  if (read.cluster.empty()) {
    session.fail(" We need a cluster to dump.\n");
    return std::nullopt;
  }
  if (read.file.empty()) read.file = "./" + read.cluster + ".cfg";
  return read;
}

}  // namespace

void dump_site(SiteSession& session, SiteWords words) {
  const auto wanted = read_dump_words(session, words);
  if (!wanted) return;
  const auto site = fetch_site(session, wanted->cluster);
  if (!site) return;
  if (!site->is_known)
    return session.fail(fmt::format(" Cluster {} doesn't exist.\n", wanted->cluster));
  const std::string text = std::string(kIntroduction) + site_file_text(*site);
  std::FILE* file = std::fopen(wanted->file.c_str(), "we");
  const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (!file || std::fclose(file) != 0 || !written)
    session.fail(fmt::format(" Unable to write \"{}\": {}\n", wanted->file, std::strerror(error)));
}

}  // namespace muster::cli
