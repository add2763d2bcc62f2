// Texts that users write: options of commands and values of updates reach these parsers in
// requests. A text that can be written must be read again as the same value.
#include <string>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/idset.h"
#include "base/text/signals.h"
#include "base/text/size.h"
#include "builders.h"
#include "fuzz/target.h"
#include "model/accounts/qos.h"
#include "model/binding/cpu_bind.h"
#include "model/binding/distribution.h"
#include "model/binding/gpu_bind.h"
#include "model/binding/mem_bind.h"
#include "model/job/job_state.h"
#include "model/job/mail_type.h"
#include "model/node/resources.h"
#include "sched/gate/dependency.h"
#include "sched/request/features.h"
#include "sched/request/request.h"
#include "wire/job_ref.h"

namespace muster::fuzz {
namespace {

const Cluster& cluster() {
  static const Cluster cluster = test::ClusterBuilder()
                                     .nodes(4, 8, 16'000)
                                     .features({"a", "b", "c"})
                                     .gpus(2)
                                     .settings([](Settings& s) { s.licenses = {{"lic", 4}}; })
                                     .build();
  return cluster;
}

FUZZ_TARGET(hostlist, literals_of({"base/text/hostlist_test.cc"})) {
  constexpr std::size_t kManyForASanitizer = 10'000;
  std::size_t count = 0;
  (void)each_host(bytes, [&](std::string_view) { return ++count <= kManyForASanitizer; });
  if (count > kManyForASanitizer) return;
  auto names = expand_hostlist(bytes);
  if (!names) return;
  auto again = expand_hostlist(compress_hostlist(*names));
  require(again && *again == *names, "a compressed host list names other hosts");
  compress_hostlist_sorted(*names);
}

FUZZ_TARGET(idset, literals_of({"base/text", "model/binding/cpu_bind_test.cc"})) {
  auto set = IdSet::parse(bytes);
  if (!set) return;
  require(IdSet::parse(set->text()) == set, "the text of a set is another set");
  IdSet half = set->first(set->size() / 2);
  IdSet rest = *set;
  rest.subtract(half);
  require(!rest.intersects(half), "half of a set is left in the rest");
  rest.merge(half);
  require(rest == *set, "two halves are not the set");
}

FUZZ_TARGET(constraint, literals_of({"sched"})) {
  sched::features_in(bytes);
  if (auto constraint = sched::parse_constraint(cluster(), bytes))
    sched::has_features(cluster().nodes.at(NodeId{1}), constraint->each);
}

FUZZ_TARGET(dependency, literals_of({"sched/gate/dependency_test.cc"})) {
  static const Cluster with_jobs =
      test::ClusterBuilder().nodes(1).running(1).pending(1).pending(1).build();
  auto dependencies = parse_dependencies(bytes);
  if (!dependencies) return;
  const Job& job = with_jobs.jobs.at(JobId{3});
  sched::fulfilment(with_jobs, job, *dependencies, std::nullopt, test::t0);
  (void)sched::check_dependencies(with_jobs, job, *dependencies);
}

FUZZ_TARGET(date, literals_of({"base/text/date_test.cc", "base/text/duration_test.cc"})) {
  require(date_fault(bytes, test::t0) <= bytes.size(), "a date's fault lies behind its end");
  if (auto date = parse_date(bytes, test::t0)) format_date(*date);
  if (auto date = parse_date(bytes, test::t0, {.past = true})) format_date(*date);
  if (auto limit = parse_time_limit(bytes)) format_limit(*limit);
  if (auto span = parse_duration(bytes)) {
    format_elapsed(*span);
    format_elapsed_short(*span);
  }
}

FUZZ_TARGET(size, literals_of({"base/text/size_test.cc", "base/text/signals_test.cc"})) {
  if (auto mib = parse_mib(bytes)) format_mib(*mib);
  parse_count(bytes);
  if (auto signal = parse_signal(bytes)) {
    signal_name(*signal);
    signal_description(*signal);
  }
}

FUZZ_TARGET(gres,
            literals_of({"sched/place/gres_test.cc", "sched/place/gpu_types_test.cc", "model"})) {
  for (auto parse : {parse_gres, parse_gpus})
    if (auto list = parse(bytes)) sum_of(*list);
  as_gres(bytes);
  (void)sched::parse_licenses(cluster(), bytes);
  if (auto amounts = parse_tres_amounts(bytes)) amount_of(*amounts, "cpu");
  auto equals = bytes.find('=');
  if (equals == bytes.npos) return;
  Qos qos;
  (void)set_qos_value(qos, bytes.substr(0, equals), bytes.substr(equals + 1));
}

FUZZ_TARGET(binding, literals_of({"model"})) {
  const IdSet all = IdSet::range(0, 7);
  if (auto bind = parse_gpu_bind(bytes))
    for (std::uint32_t task : {0u, 3u, 0xffffffffu}) gpus_of_task(*bind, all, task);
  if (auto bind = parse_mem_bind(bytes))
    for (std::uint32_t task : {0u, 3u}) memory_of_task(*bind, task, all);
  (void)parse_cpu_bind(bytes);
  (void)parse_default_cpu_bind(bytes);
  if (auto how = parse_distribution(bytes)) distribution_name(*how);
  parse_mail_types(bytes);
  parse_job_state(bytes);
}

FUZZ_TARGET(job_ref, literals_of({"wire/job_ref_test.cc"})) {
  auto ref = wire::parse_job_ref(bytes);
  if (!ref) return;
  auto again = wire::parse_job_ref(wire::job_ref_text(*ref));
  require(again && *again == *ref, "the text of a job id is another job's");
}

}  // namespace
}  // namespace muster::fuzz
