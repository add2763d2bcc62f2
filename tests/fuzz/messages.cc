// Messages as bytes. A message that can be read is written and read again with the same bytes, and
// no list in it is larger than the received bytes. A seed is a message drawn at random.
#include <string>

#include "base/codec/codec.h"
#include "builders.h"
#include "fuzz/draw.h"
#include "fuzz/target.h"
#include "state/event.h"
#include "state/snapshot.h"
#include "wire/client_messages.h"
#include "wire/hook_messages.h"
#include "wire/node_messages.h"
#include "wire/step_messages.h"

namespace muster::fuzz {
namespace {

template <class T>
void read(std::string_view bytes) {
  auto message = decode<T>(bytes, Origin::foreign);
  if (!message) return;
  std::string written = encode(*message);
  auto again = decode<T>(written);
  require(again.has_value(), "what was written cannot be read");
  require(encode(*again) == written, "what was written is read as something else");
}

template <class T>
Seeds drawn() {
  Seeds seeds;
  for (const std::string& roll : dice_rolls()) {
    Draw draw(roll);
    T message;
    draw.fill(message);
    seeds.push_back(encode(message));
  }
  return seeds;
}

FUZZ_TARGET(request_bytes, drawn<wire::RequestFrame>()) { read<wire::RequestFrame>(bytes); }
FUZZ_TARGET(reply_bytes, drawn<wire::ReplyFrame>()) { read<wire::ReplyFrame>(bytes); }
FUZZ_TARGET(report_bytes, drawn<wire::ReportBatch>()) { read<wire::ReportBatch>(bytes); }
FUZZ_TARGET(order_bytes, drawn<wire::OrderBatch>()) { read<wire::OrderBatch>(bytes); }
FUZZ_TARGET(call_bytes, drawn<wire::NodeCall>()) { read<wire::NodeCall>(bytes); }
FUZZ_TARGET(from_step_bytes, drawn<wire::FromStepFrame>()) { read<wire::FromStepFrame>(bytes); }
FUZZ_TARGET(to_step_bytes, drawn<wire::ToStepFrame>()) { read<wire::ToStepFrame>(bytes); }
FUZZ_TARGET(hook_request_bytes, drawn<wire::HookRequest>()) { read<wire::HookRequest>(bytes); }
FUZZ_TARGET(hook_reply_bytes, drawn<wire::HookReply>()) { read<wire::HookReply>(bytes); }
FUZZ_TARGET(event_bytes, drawn<EventEntry>()) { read<EventEntry>(bytes); }

Seeds snapshots() {
  test::ClusterBuilder builder;
  builder.nodes(2).gpus(2).running(1).pending(1).pending(test::job().array("0-9%2"));
  Seeds seeds = {encode_snapshot(builder.build())};
  seeds.push_back(encode_snapshot(builder.ended(1, JobState::failed, 256).down(2).build()));
  return seeds;
}
FUZZ_TARGET(snapshot_bytes, snapshots()) {
  if (auto cluster = decode_snapshot(bytes)) encode_snapshot(*cluster);
}

}  // namespace
}  // namespace muster::fuzz
