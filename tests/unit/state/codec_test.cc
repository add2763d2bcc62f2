// Events as bytes: every kind survives, also with values that are neither defaults nor zero.
#include "base/codec/codec.h"

#include <gtest/gtest.h>

#include <set>

#include "state/scenario.h"

namespace muster {
namespace {

using namespace muster::test;

template <class T>
T round_trip(const T& event) {
  auto decoded = decode<EventEntry>(encode(EventEntry{event}));
  EXPECT_TRUE(decoded);
  if (!decoded || !std::holds_alternative<T>(decoded->event)) {
    ADD_FAILURE() << "another kind came back";
    return {};
  }
  return std::get<T>(decoded->event);
}

TEST(EventCodec, EveryKindComesBackAsTheSameBytes) {
  ClusterBuilder b = eventful();
  std::set<std::size_t> kinds;
  for (const Event& event : b.events()) {
    std::string bytes = encode(EventEntry{event});
    auto decoded = decode<EventEntry>(bytes);
    ASSERT_TRUE(decoded) << "kind " << event.index();
    EXPECT_EQ(decoded->event.index(), event.index());
    EXPECT_EQ(encode(*decoded), bytes) << "kind " << event.index();
    kinds.insert(event.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Event>) << "the scenario lacks a kind";
}

template <std::size_t Kind = 0>
void check_default_events() {
  if constexpr (Kind < std::variant_size_v<Event>) {
    EventEntry entry{Event(std::in_place_index<Kind>)};
    auto decoded = decode<EventEntry>(encode(entry));
    ASSERT_TRUE(decoded) << "kind " << Kind;
    EXPECT_EQ(decoded->event.index(), Kind);
    check_default_events<Kind + 1>();
  }
}
TEST(EventCodec, AnEventWithNothingSetIsStillOfItsKind) { check_default_events(); }

TEST(EventCodec, ZeroSurvivesWhereTheDefaultIsNotZero) {
  EXPECT_FALSE(round_trip(JobStarted{.job = JobId{1}, .runs_batch = false}).runs_batch);
  EXPECT_TRUE(round_trip(JobStarted{.job = JobId{1}}).runs_batch);
  EXPECT_EQ(round_trip(JobsHeld{.hold = Hold::none}).hold, Hold::none);
  EXPECT_EQ(round_trip(JobsHeld{}).hold, Hold::user);
  EXPECT_EQ(round_trip(NodeChanged{.weight = 0}).weight, 0u);
  EXPECT_EQ(round_trip(NodeChanged{}).weight, 1u);
  EXPECT_EQ(round_trip(PendingJobsEnded{.state = JobState::pending}).state, JobState::pending);
  EXPECT_EQ(round_trip(JobEnded{.state = JobState::pending}).state, JobState::pending);
  EXPECT_EQ(round_trip(JobsEnding{.ending = {.becomes = JobState::pending}}).ending.becomes,
            JobState::pending);
}

TEST(EventCodec, TheTaskIdOfAJobMayBeZero) {
  Job job;
  job.id = JobId{5};
  EXPECT_EQ(round_trip(JobSubmitted{job}).job.task_id, kNoTask);
  job.task_id = 0;
  EXPECT_EQ(round_trip(JobSubmitted{job}).job.task_id, 0u);
}

TEST(EventCodec, FieldsOfASpecificationWithDefaultsOtherThanZero) {
  JobSpec spec;
  spec.min_nodes = 0;
  spec.umask = 0;
  spec.warn_signal = {.number = 10, .seconds_before_end = 0};
  JobUpdated event{.job = JobId{1}, .spec = Cow(spec)};
  EXPECT_EQ(*round_trip(event).spec, spec);
  event.spec = Cow(JobSpec{});
  EXPECT_EQ(*round_trip(event).spec, JobSpec{});
}

TEST(EventCodec, AnOptionalZeroIsNotTheSameAsNotGiven) {
  JobSpec spec;
  spec.num_tasks = 0;
  spec.memory_per_node_mib = 0;
  spec.requeue = false;
  spec.priority = 0;
  spec.time_limit = Minutes{0};
  EXPECT_EQ(*round_trip(JobUpdated{.spec = Cow(spec)}).spec, spec);
}

TEST(EventCodec, FieldsOfAStepWithDefaultsOtherThanZero) {
  Step step;
  step.num_tasks = 0;
  step.cpus_per_task = 0;
  step.state = JobState::pending;
  EXPECT_EQ(round_trip(StepCreated{.step = step}).step, step);
}

TEST(EventCodec, SettingsThatAreSwitchedOffStayOff) {
  ClusterConfig config = ClusterBuilder().nodes(1).config();
  Settings& s = config.settings;
  s.kill_wait = s.min_job_age = s.slurmd_timeout = Seconds{0};
  s.first_job_id = s.max_job_count = s.max_array_size = s.max_step_count = 0;
  s.job_requeue = s.memory_is_consumable = s.use_core_granularity = s.accounting = false;
  s.default_memory_per_cpu_mib = 0;
  s.licenses = {{"matlab", 0}, {"", 3}};
  NodeConfig& node = config.nodes[0];
  node.cpus = node.boards = node.sockets = node.cores_per_socket = node.threads_per_core = 0;
  node.memory_mib = 0;
  node.weight = 0;
  config.partitions[0].priority_job_factor = config.partitions[0].priority_tier = 0;
  config.partitions[0].max_nodes = 0;
  EXPECT_EQ(*round_trip(ConfigLoaded{Cow(config)}).config, config);
}

TEST(EventCodec, ExtremesSurvive) {
  JobUpdated event{.priority = 0xffffffffu, .time_limit = kUnlimited, .eligible = Time::max()};
  JobUpdated back = round_trip(event);
  EXPECT_EQ(back.priority, 0xffffffffu);
  EXPECT_EQ(back.time_limit, kUnlimited);
  EXPECT_EQ(back.eligible, Time::max());
  JobSpec spec;
  spec.nice = -2147483647;
  EXPECT_EQ(round_trip(JobUpdated{.spec = Cow(spec)}).spec->nice, -2147483647);
}

TEST(EventCodec, EmptyElementsOfListsAreKept) {
  ClusterConfig config;
  config.partition_nodes = {{}, {"n1", ""}, {}};
  config.nodes.resize(2);
  EXPECT_EQ(*round_trip(ConfigLoaded{Cow(config)}).config, config);
  Job job;
  job.run.edit().unfinished = {NodeId{0}, NodeId{3}};
  job.run.edit().steps[StepId{0}] = Step{};
  job.waiting_tasks = IdSet::range(0, 0);
  EXPECT_EQ(round_trip(JobSubmitted{job}).job, job);
}

TEST(EventCodec, AKindThatThisVersionDoesNotKnowIsRefused) {
  std::string inner;
  Encoder(inner).bytes(static_cast<std::uint32_t>(std::variant_size_v<Event>) + 1, "");
  std::string bytes;
  Encoder(bytes).bytes(1, inner);
  EXPECT_FALSE(decode<EventEntry>(bytes));
}

TEST(EventCodec, AFieldThatThisVersionDoesNotKnowIsSkipped) {
  std::string fields;
  Encoder encoder(fields);
  std::uint32_t job = 7, unknown = 5;
  encoder.write_value(1, job);
  encoder.write_value(900, unknown);
  encoder.bytes(901, "later");
  std::string inner, bytes;
  Encoder(inner).bytes(15, fields);  // JobWarned
  Encoder(bytes).bytes(1, inner);
  auto decoded = decode<EventEntry>(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<JobWarned>(decoded->event).job, JobId{7});
}

TEST(EventCodec, TruncatedOrAlteredBytesNeverHarm) {
  ClusterBuilder b = eventful();
  for (const Event& event : b.events()) {
    std::string bytes = encode(EventEntry{event});
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 50)
      (void)decode<EventEntry>(std::string_view(bytes).substr(0, size));
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 50) {
      std::string altered = bytes;
      altered[i] = static_cast<char>(altered[i] ^ 0x55);
      (void)decode<EventEntry>(altered);
    }
  }
}

}  // namespace
}  // namespace muster
