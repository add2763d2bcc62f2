// muster sim: replays traces of jobs. Commands do not contain the scheduler, so this starts the
// program next to it that does.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/lib/errors.h"
#include "cli/muster/daemons.h"
#include "cli/muster/embedded.h"

namespace muster::cli {

int muster_sim(std::vector<std::string_view> args) {
  auto here = own_directory();
  if (!here) {
    print_error("muster", here.error().text());
    return kExitFailure;
  }
  std::vector<std::string> words{*here + "/muster-replay"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  print_error("muster", fmt::format("{}: {}", words[0], std::strerror(errno)));
  return kExitFailure;
}

}  // namespace muster::cli
