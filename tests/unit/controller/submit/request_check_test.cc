// Limits on what one request may contain.
#include "controller/submit/request_check.h"

#include <fmt/format.h>

#include "controller/world.h"

namespace muster::controller::test::submit_test {
namespace {

constexpr RequestLimits kSmall{.name = 10,
                               .text = 20,
                               .constraint = 12,
                               .node_list = 30,
                               .arguments = 40,
                               .environment = 50,
                               .launch = 120,
                               .dependencies = 3,
                               .components = 2,
                               .waiting_steps = 2,
                               .waiting_bytes = 1 << 20,
                               .list_items = 4,
                               .tasks_per_node = 4,
                               .script = 60};

std::string told(const wire::Request& request) {
  auto ok = check_request(kSmall, request);
  return ok ? "" : ok.error().text();
}
std::string too_long(std::string_view what, int size, int most, std::string_view limit) {
  return fmt::format(
      "Pathname of a file, directory or other parameter too long: {} of {} bytes, at most {} are "
      "allowed ({})",
      what, size, most, limit);
}
wire::SubmitRequest submission(JobRequest spec) { return {.spec = Cow(std::move(spec))}; }

TEST(RequestCheck, NamesTheLimitAndTheSize) {
  EXPECT_EQ(told(submission(job())), "");
  EXPECT_EQ(told(submission(job().name(std::string(11, 'x')))),
            too_long("job name", 11, 10, "max_name_size"));
  EXPECT_EQ(told(submission(job().set(&JobRequest::comment, std::string(21, 'x')))),
            too_long("comment", 21, 20, "max_text_size"));
  EXPECT_EQ(told(submission(job().set(&JobRequest::extra, std::string(21, 'x')))),
            too_long("text", 21, 20, "max_text_size"));
  EXPECT_EQ(told(submission(job().features(std::string(13, '(')))),
            too_long("constraint", 13, 12, "max_constraint_size"));
  EXPECT_EQ(told(submission(job().not_on(std::string(31, 'n')))),
            too_long("node list", 31, 30, "max_node_list_size"));
  EXPECT_EQ(told(submission(job().dependency("after:1:2:3:4"))),
            "4 dependencies: at most 3 are allowed (max_dependencies)");
  EXPECT_EQ(
      told(submission(job().set(&JobRequest::script_args,
                                std::vector<Text>{"0123456789", "0123456789", "0123456789"}))),
      too_long("arguments", 54, 40, "max_arguments_size"));
  EXPECT_EQ(told(submission(job().memory(1ull << 41))),
            "Memory specification can not be satisfied");
}

TEST(RequestCheck, OfAJobIncludesItsScriptItsComponentsAndItsStep) {
  auto request = submission(job());
  request.script = std::string(61, '#');
  EXPECT_EQ(told(request), too_long("script", 61, 60, "max_script_size"));
  request.script = std::string(60, '#');
  request.environment = std::string(51, 'e');
  EXPECT_EQ(told(request), too_long("environment", 51, 50, "max_environment_size"));
  request.environment = std::string(50, 'e');
  EXPECT_EQ(told(request), "");
  request.spec.edit().comment = std::string(20, 'c');
  EXPECT_TRUE(told(request).contains("max_launch_size")) << told(request);
  request = submission(job());
  request.components.assign(2, Cow(JobRequest(job())));
  EXPECT_EQ(told(request), "3 components: at most 2 are allowed (max_components)");
  request.components.resize(1);
  EXPECT_EQ(told(request), "");
  request.first_step.resize(2);
  EXPECT_NE(told(request), "");
  request.first_step.resize(1);
  request.first_step[0].name = std::string(11, 'x');
  EXPECT_EQ(told(request), too_long("step name", 11, 10, "max_name_size"));
}

TEST(RequestCheck, OfAStepIncludesItsParts) {
  wire::StepRequest step;
  step.environment = {std::string(20, 'a'), std::string(20, 'b')};
  EXPECT_EQ(told(step), too_long("environment", 56, 50, "max_environment_size"));
  step.environment.clear();
  step.task.argv_by_rank[3] = {std::string(40, 'x')};
  EXPECT_EQ(told(step), too_long("arguments", 48, 40, "max_arguments_size"));
  step.task.argv_by_rank.clear();
  step.parts.resize(2);
  EXPECT_EQ(told(step), "3 commands of a step: at most 2 are allowed (max_components)");
  step.parts.resize(1);
  EXPECT_EQ(told(step), "");
  step.parts[0].task.argv = {std::string(40, 'x')};
  EXPECT_EQ(told(step), too_long("arguments", 48, 40, "max_arguments_size"));
  step.parts[0] = {};
  step.parts[0].parts.resize(1);
  EXPECT_NE(told(step), "");
}

TEST(RequestCheck, OfListsCountsTheirItems) {
  wire::CancelRequest cancel;
  cancel.jobs.resize(4);
  EXPECT_EQ(told(cancel), "");
  cancel.jobs.resize(5);
  EXPECT_EQ(told(cancel), "5 items in a list: at most 4 are allowed (max_list_items)");
  wire::JobsRequest jobs;
  jobs.filter.names = {"a", std::string(21, 'b')};
  EXPECT_EQ(told(jobs), too_long("text", 21, 20, "max_text_size"));
  jobs.filter.names.assign(5, "a");
  EXPECT_NE(told(jobs), "");
  wire::UpdateRequest update{.settings = {{"Comment", std::string(40, 'x')}}};
  EXPECT_NE(told(update), "");
}

TEST(RequestCheck, AnUpdateKeepsToTheSameLimits) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.request_limits = kSmall; })};
  auto id = w.submit(job().hold());
  auto update = [&](std::string key, std::string value) {
    wire::Answer answer =
        w.answer(wire::UpdateRequest{.settings = {{"JobId", std::to_string(id)}, {key, value}}});
    if (auto* error = std::get_if<Error>(&answer)) return error->text();
    const auto& reply = std::get<wire::CancelReply>(answer);
    return reply.errors.empty() ? std::string() : reply.errors[0].second.text();
  };
  EXPECT_EQ(update("Name", std::string(11, 'x')), too_long("job name", 11, 10, "max_name_size"));
  EXPECT_EQ(update("Comment", std::string(21, 'x')), too_long("comment", 21, 20, "max_text_size"));
  EXPECT_EQ(update("Comment", std::string(20, 'x')), "");
  EXPECT_EQ(w.job(id).own.comment, std::string(20, 'x'));
  EXPECT_EQ(update("TasksPerNode", "5"), "Task count specification invalid");
}

TEST(WaitingSteps, OfOneJobAreSoMany) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.request_limits = kSmall; })};
  auto id = w.submit(job().allocation().nodes(1).tasks(1).memory(400));
  auto ask = [&](bool async) {
    wire::StepRequest step{.job = JobId{id}, .num_tasks = 1};
    step.async = async;
    auto number = w.ask(step, kAlice, 5);
    w.run();
    auto reply = w.host.replies.find(number);
    auto* error = reply == w.host.replies.end() ? nullptr : std::get_if<Error>(&reply->second);
    return error ? error->text() : "";
  };
  EXPECT_EQ(ask(false), "") << "runs";
  EXPECT_EQ(ask(false), "") << "waits";
  EXPECT_EQ(ask(true), "") << "waits, too";
  EXPECT_EQ(ask(false), "3 steps of the job wait: at most 2 are allowed (max_waiting_steps)");
  EXPECT_EQ(ask(true), "3 steps of the job wait: at most 2 are allowed (max_waiting_steps)");
}

TEST(Steps, KeepToMaxTasksPerNodeAndHaveAtLeastOneThread) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.request_limits = kSmall; })};
  auto id = w.submit(job().allocation().nodes(1).tasks(1).memory(400));
  auto ask = [&](wire::StepRequest step) {
    step.job = JobId{id};
    step.overlap = step.overcommit = true;
    return w.answer(step);
  };
  EXPECT_EQ(std::get<Error>(ask({.num_tasks = 5})).code, ErrorCode::bad_task_count);
  EXPECT_EQ(std::get<Error>(ask({.num_tasks = 0xffffffff})).code, ErrorCode::bad_task_count);
  EXPECT_EQ(std::get<Error>(ask({.ntasks_per_node = 0xffffffff})).code, ErrorCode::bad_task_count);
  EXPECT_TRUE(std::holds_alternative<wire::StepReply>(ask({.num_tasks = 4})));
  wire::StepRequest no_thread{.num_tasks = 1};
  no_thread.threads_per_core = 0;
  EXPECT_TRUE(std::holds_alternative<wire::StepReply>(ask(no_thread)));
}

TEST(Components, CountAsJobs) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.max_job_count = 3; })};
  auto request = submission(job());
  request.components.assign(3, Cow(JobRequest(job())));
  EXPECT_EQ(std::get<Error>(w.answer(request)).code, ErrorCode::too_many_jobs);
  request.components.resize(2);
  EXPECT_TRUE(std::holds_alternative<wire::SubmitReply>(w.answer(request)));
}

TEST(NamedTasks, AreOnlyThoseThatThereAre) {
  World w{ClusterBuilder().nodes(1)};
  auto array = w.submit(job().array("0-3").hold());
  const wire::JobRef all{.job = JobId{array}, .tasks = IdSet::range(1, 0xfffffff0)};
  auto held = std::get<wire::CancelReply>(
      w.answer(wire::JobActionRequest{.action = wire::JobAction::release, .jobs = {all}}));
  ASSERT_EQ(held.errors.size(), 2u);
  EXPECT_EQ(held.errors[0].first.tasks.text(), "1-3");
  EXPECT_EQ(held.errors[1].first.tasks.text(), "4-4294967280");
  auto bobs = std::get<wire::CancelReply>(w.answer(wire::CancelRequest{.jobs = {all}}, kBob));
  ASSERT_EQ(bobs.errors.size(), 1u);
  EXPECT_EQ(bobs.errors[0].second.code, ErrorCode::access_denied);
  auto gone = std::get<wire::CancelReply>(w.answer(wire::CancelRequest{.jobs = {all}}));
  EXPECT_EQ(gone.cancelled, 3u);
  EXPECT_EQ(w.job(array).state, JobState::pending) << "task 0 waits";
}

}  // namespace
}  // namespace muster::controller::test::submit_test
