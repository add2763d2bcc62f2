// slurmd's logic with orders in any order, and the process manager of MPI tasks with whatever a
// task may write to it.
#include "fuzz/draw.h"
#include "fuzz/target.h"
#include "node/agent.h"
#include "node/fake_host.h"
#include "node/job_words.h"
#include "step/logic/file_pattern.h"
#include "step/logic/pmi_message.h"
#include "step/logic/pmi_server.h"
#include "step/logic/process_mapping.h"

namespace muster::fuzz {
namespace {

FUZZ_TARGET(orders, dice_rolls()) {
  Draw draw(bytes);
  FakeHost host;
  NodeAgent agent(host, {.name = "n1", .programs = {.prolog = true, .epilog = true}});
  Time now = from_unix_seconds(1'800'000'000);
  agent.on_connected(now);
  while (!draw.empty()) {
    now += Seconds{draw.below(20)};
    switch (draw.below(8)) {
      default:
        if (auto batch = draw.message<wire::OrderBatch>()) agent.on_orders(*batch, now);
        break;
      case 4:
        if (auto end = draw.message<wire::StepEnd>()) agent.on_step_ended(*end, now);
        break;
      case 5:
        agent.on_program_ended(static_cast<NodeProgram>(draw.below(3)),
                               {JobId{draw.below(4)}, Attempt{draw.below(3)}}, draw.below(2) == 0,
                               now);
        break;
      case 6:
        agent.on_attach(draw.below(4), {JobId{draw.below(4)}, Attempt{1}, StepId{draw.below(2)}},
                        now);
        break;
      case 7:
        agent.on_disconnected();
        agent.on_connected(now);
    }
    agent.on_tick(now);
    agent.flush();
    for (const wire::Report& report : host.reports) encode(wire::ReportBatch{{report}});
    host.reports.clear();
  }
}

FUZZ_TARGET(job_words, dice_rolls()) {
  const auto words = parse_job_words(bytes);
  ask_answer(words ? "" : words.error().text(), Seconds{0});
  ask_answer(bytes, Seconds{0});
  if (auto run = parse_notice_file_name(bytes)) notice_file_name(*run);
}

FUZZ_TARGET(launches, dice_rolls()) {
  Draw draw(bytes);
  auto launch = draw.message<wire::StepLaunch>();
  if (!launch) return;
  process_mapping(launch->layout);
  default_output_pattern(*launch);
  StepSetup setup;
  setup.launch = *launch;
  expand_file_pattern(draw.text(), setup, static_cast<std::uint32_t>(draw.number()));
}

Seeds pmi_texts() {
  Seeds seeds = literals_of({"step/logic/pmi_message_test.cc", "step/logic/pmi_server_test.cc"});
  seeds.push_back("cmd=init pmi_version=2 pmi_subversion=0\n    21cmd=fullinit;pmirank=0;");
  return seeds;
}

FUZZ_TARGET(pmi, pmi_texts()) {
  for (PmiVersion version : {PmiVersion::one, PmiVersion::two}) {
    std::string received(bytes);
    for (auto message = take_pmi_message(received, version); message && *message;
         message = take_pmi_message(received, version))
      pmi_text(**message, version);
  }
  PmiServer server({"7.0", 4, "(vector,(0,2,2))", {0, 1}});
  auto half = bytes.size() / 2;
  for (std::string_view part : {bytes.substr(0, half), bytes.substr(half)})
    for (std::size_t task : {0u, 1u})
      if (auto turn = server.on_bytes(task, part); turn.contribution)
        server.on_gathered({*turn.contribution, std::string(part)});
}

}  // namespace
}  // namespace muster::fuzz
