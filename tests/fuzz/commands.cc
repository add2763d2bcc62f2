// What commands read: batch scripts, multi-prog files, export files, command lines. Users run them
// on files of others.
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/lib/components.h"
#include "cli/lib/directives.h"
#include "cli/lib/environment.h"
#include "cli/lib/options.h"
#include "cli/sacct_list.h"
#include "cli/scancel_options.h"
#include "cli/scontrol_update.h"
#include "cli/sinfo_list.h"
#include "cli/squeue_list.h"
#include "cli/srun_exits.h"
#include "cli/srun_gather.h"
#include "cli/srun_multi_prog.h"
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

FUZZ_TARGET(batch_script, literals_of({"cli/directives_test.cc", "cli/options_words_test.cc",
                                       "cli/options_values_test.cc"})) {
  std::string script = "#!/bin/sh\n";
  for (std::string_view line : split(bytes, '\n'))
    script +=
        line.starts_with('#') ? std::string(line) + "\n" : "#SBATCH " + std::string(line) + "\n";
  auto directives = read_directives(script, "job.sh");
  if (!directives) return;
  for (const ParsedWords& component : directives->components) apply_all(Client::sbatch, component);
}

FUZZ_TARGET(multi_prog, literals_of({"cli/srun_multi_prog_test.cc"})) {
  (void)parse_multi_prog(bytes, "programs", 8);
  parse_export_file(bytes);
}

// What nodes tell an srun; a task of another user's step has no way here, a broken node has.
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
