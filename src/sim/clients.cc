// When clients send requests, over which connection, and what they do with an allocation.
#include "sim/clients.h"

namespace muster::sim {

namespace {

bool is_refusal(const wire::Answer& answer) {
  if (auto* cancelled = std::get_if<wire::CancelReply>(&answer)) return !cancelled->errors.empty();
  return std::holds_alternative<Error>(answer);
}

}  // namespace

void Clients::plan_requests(const ClusterConfig& config) {
  for (std::uint32_t i = 0; i < options_.jobs; ++i)
    schedule_.after(Millis{schedule_.between(0, 600'000)}, [this] { submit(); });
  for (std::uint32_t i = 0; i < options_.jobs / 3; ++i)
    schedule_.after(Millis{schedule_.between(0, 800'000)}, [this] { interfere(); });
  if (options_.is_rich()) plan_wishes(config);
}

void Clients::plan_wishes(const ClusterConfig& config) {
  auto sometime = [&](auto act) {
    schedule_.after(Millis{schedule_.between(0, 900'000)}, [this, act] {
      controller::Core* core = controller_.controller();
      if (!core || calm_) return;
      act(*core);
      core->flush(controller_.controllers_time());
    });
  };
  for (std::uint32_t i = 0; i < options_.jobs * 3; ++i)
    sometime([this](controller::Core& core) {
      if (auto drawn = random_request({schedule_, core.committed(), acknowledged_}))
        ask(std::move(drawn->request), drawn->verb, drawn->by);
    });
  for (std::uint32_t i = 0; i < 5; ++i)
    sometime([this](controller::Core& core) {
      core.on_client_closed(kFirstKeeper + schedule_.below(keepers_ + 1),
                            controller_.controllers_time());
    });
  for (std::uint32_t i = 0; i < 3; ++i)
    sometime([this, &config](controller::Core& core) {
      core.reconfigure(config, {1, ++request_}, controller_.controllers_time());
    });
  for (std::uint32_t i = 0; i < 5; ++i)
    sometime([this, &config](controller::Core& core) {
      core.on_accounts(some_news(schedule_, config.settings.cluster_name), {}, wire::Done{},
                       controller_.controllers_time());
    });
}

void Clients::submit() {
  if (!controller_.controller()) return;
  if (!options_.is_rich())
    return ask(some_submission(schedule_, options_.cpus, acknowledged_), "submit");
  auto request =
      some_rich_submission(schedule_, options_.cpus, acknowledged_, controller_.controllers_time());
  const bool is_test = request.test_only;
  const bool allocates = request.spec->kind == JobKind::allocation && !is_test;
  if (allocates) allocating_.insert(request_ + 1);
  ask(std::move(request), is_test ? "submit_test" : allocates ? "salloc" : "submit");
}

void Clients::interfere() {
  if (controller_.controller() && !acknowledged_.empty())
    ask(some_interference(schedule_, acknowledged_), "interfere");
}

void Clients::repair() {
  controller::Core* core = controller_.controller();
  if (!core) return;
  for (wire::Request& request : repairs(core->committed())) ask(std::move(request), "repair");
}

void Clients::ask(wire::Request request, std::string_view verb, Uid by, std::uint64_t connection) {
  controller::Core* core = controller_.controller();
  if (!core) return;
  asked_[++request_] = verb;
  core->on_request({connection, request_}, {.uid = by, .gid = {}}, std::move(request),
                   controller_.controllers_time());
  core->flush(controller_.controllers_time());
}

void Clients::on_reply(controller::ReplyTo to, const wire::Answer& answer) {
  if (auto asked = asked_.extract(to.request); !asked.empty())
    ++(is_refusal(answer) ? verdict_.refused : verdict_.granted)[asked.mapped()];
  const auto* submitted = std::get_if<wire::SubmitReply>(&answer);
  if (!submitted || is_set(submitted->would_start)) return;
  acknowledged_.insert(submitted->job);
  ++verdict_.jobs_acknowledged;
  if (allocating_.erase(to.request) > 0) keep_allocation(submitted->job);
}

// salloc: owns the allocation, runs steps in it, and gives it back or disappears.
void Clients::keep_allocation(JobId job) {
  allocations_.insert(job);
  const std::uint64_t connection = kFirstKeeper + keepers_++;
  auto later = [&](std::int64_t low, std::int64_t high, auto request) {
    schedule_.after(Millis{schedule_.between(low, high)},
                    [this, connection, request] { ask(request, "salloc", {}, connection); });
  };
  later(
      0, 100,
      wire::WaitJobRequest{.job = job, .until_started = true, .ownership = wire::Ownership::take});
  for (std::uint64_t steps = schedule_.below(4); steps > 0; --steps)
    later(1000, 100'000,
          wire::StepRequest{.job = job, .name = "step", .task = {.argv = {"a.out"}}});
  if (schedule_.chance(60)) later(1000, 200'000, wire::ReleaseRequest{.job = job});
}

}  // namespace muster::sim
