// What commands read: batch scripts, multi-prog files, export files, command lines. Users run them
// on other users' files.
#include <string>
#include <vector>

#include "base/text/strings.h"
#include "cli/allocation/exits.h"
#include "cli/options/components.h"
#include "cli/options/directives.h"
#include "cli/options/environment.h"
#include "cli/options/options.h"
#include "cli/sacct/list.h"
#include "cli/scancel/options.h"
#include "cli/scontrol/update.h"
#include "cli/sinfo/list.h"
#include "cli/squeue/list.h"
#include "cli/srun/gather.h"
#include "cli/srun/multi_prog.h"
#include "fuzz/draw.h"
#include "fuzz/target.h"

namespace muster::fuzz {
namespace {

using namespace muster::cli;

constexpr Time kNow = from_unix_seconds(1'800'000'000);

void apply_all(Client client, const ParsedWords& words) {
  JobOptions options(client, kNow);
  if (!apply(options, words, Source::command_line)) return;
  std::vector<std::string> warnings;
  if (finish(options, warnings)) describe(options);
}

FUZZ_TARGET(batch_script,
            literals_of({"cli/options/directives_test.cc", "cli/options/options_words_test.cc",
                         "cli/options/options_values_test.cc"})) {
  std::string script = "#!/bin/sh\n";
  for (std::string_view line : split(bytes, '\n'))
    script +=
        line.starts_with('#') ? std::string(line) + "\n" : "#SBATCH " + std::string(line) + "\n";
  auto directives = read_directives(script, "job.sh");
  if (!directives) return;
  for (const ParsedWords& component : directives->components) apply_all(Client::sbatch, component);
}

FUZZ_TARGET(multi_prog, literals_of({"cli/srun/multi_prog_test.cc"})) {
  (void)parse_multi_prog(bytes, "programs", 8);
  parse_export_file(bytes);
}

// What nodes send to an srun. Tasks of other users' steps cannot reach it, but a broken node can.
FUZZ_TARGET(step_news, dice_rolls()) {
  Draw draw(bytes);
  TaskBook tasks;
  tasks.add_place("n1", {0, 1});
  tasks.add_place("n2", {2});
  GatherBook gathers;
  while (!draw.empty()) {
    auto frame = draw.message<wire::FromStepFrame>();
    if (!frame) continue;
    if (auto* started = std::get_if<wire::TaskStarted>(&frame->message))
      tasks.started(started->rank, started->pid);
    if (auto* exited = std::get_if<wire::TaskExited>(&frame->message))
      tasks.exited(exited->rank, exited->wait_status, exited->out_of_memory);
    if (auto* part = std::get_if<wire::Contribution>(&frame->message))
      gathers.add(frame->place, std::move(*part));
  }
  tasks.lost("n2");
  tasks.take_messages();
  tasks.status_lines("1.0");
}

FUZZ_TARGET(command_line, literals_of({"cli"})) {
  std::vector<std::string> words;
  for (std::string_view word : split_words(bytes)) words.emplace_back(word);
  if (words.empty()) return;
  for (Client client : {Client::sbatch, Client::srun, Client::salloc})
    if (auto parsed = parse_words(client, words)) apply_all(client, *parsed);
  (void)parse_sacct(words, kNow);
  (void)parse_squeue(words);
  (void)parse_sinfo(words);
  (void)parse_cancel(words);
}

}  // namespace
}  // namespace muster::fuzz
