// Commands about accounts: whatever arrives, the site stays whole, and what is refused changes
// nothing.
#include "accounts/site_world.h"
#include "fuzz/target.h"

namespace {

using namespace muster;
using namespace muster::accounts::test;

std::string frame_of(const Ask& ask) {
  return encode(wire::RequestFrame{.id = 1, .request = ask.request});
}

muster::fuzz::Seeds commands() {
  return {frame_of(add(Entity::account, "lab,sub").set("Parent", "top").set("GrpTRES", "cpu=4")),
          frame_of(add_user("bob", "top").on("Partition", "p1,p2").set("DefaultAccount", "top")),
          frame_of(modify(Entity::account, "top").set("Parent", "root").set("QOS", "fast")),
          frame_of(modify(Entity::qos, "fast").set("Flags", "DenyOnLimit").set("MaxWall", "10")),
          frame_of(remove(Entity::user, "alice").on("Account", "top")),
          frame_of(add(Entity::coordinator, "alice").on("Account", "top")),
          frame_of(show(Entity::association).on("User", "alice"))};
}

}  // namespace

FUZZ_TARGET(accounts_command, commands()) {
  auto frame = decode<wire::RequestFrame>(bytes, Origin::foreign);
  if (!frame) return;
  auto* request = std::get_if<wire::AccountsRequest>(&frame->request);
  if (!request) return;
  SiteWorld w;
  w.must(add(Entity::qos, "fast"));
  w.must(add(Entity::account, "top"));
  w.must(add_user("alice", "top"));
  const accounts::Site before = w.site();
  for (const Text user : {"root", "alice"}) {
    const auto reply = w.ask(*request, user);
    muster::fuzz::require(reply.committed || w.site() == before || user == "alice",
                          "a command that was not committed has changed the site");
    muster::fuzz::require(accounts::contradictions(w.site()).empty(),
                          "the site contradicts itself");
  }
}
