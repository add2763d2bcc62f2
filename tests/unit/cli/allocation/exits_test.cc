// Ends of tasks: srun's messages about them, and its exit code.
#include "cli/allocation/exits.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using Lines = std::vector<std::string>;
constexpr std::uint32_t code(std::uint32_t n) { return n << 8; }

TEST(TaskBook, TheHighestExitCodeWins) {
  TaskBook book;
  book.add_place("n1", {0, 1, 2});
  book.exited(0, code(3), false);
  book.exited(1, 9, false);
  book.exited(2, 0, false);
  EXPECT_EQ(book.exit_code(), 137);
  EXPECT_EQ(book.worst_status(), 9u);
  EXPECT_TRUE(book.all_exited());
}

TEST(TaskBook, AnAbortedStepHasFailedHoweverItsTasksLeave) {
  TaskBook book;
  book.add_place("n1", {0, 1});
  book.aborted();
  book.exited(0, 0, false);
  book.exited(1, 0, false);
  EXPECT_EQ(book.exit_code(), 1);
}

TEST(TaskBook, TasksOfANodeWithTheSameEndShareALine) {
  TaskBook book;
  book.add_place("n1", {0, 1, 2});
  book.add_place("n2", {3});
  for (std::uint32_t rank : {0u, 1u, 3u}) book.exited(rank, code(3), false);
  book.exited(2, 0, false);
  EXPECT_EQ(book.take_messages(), (Lines{"n1: tasks 0-1: Exited with exit code 3",
                                         "n2: task 3: Exited with exit code 3"}));
  EXPECT_FALSE(book.has_messages());
}

TEST(TaskBook, SignalsAndMemoryHaveTheirOwnWords) {
  TaskBook book;
  book.add_place("n1", {0, 1, 2, 3});
  book.exited(0, 9, false);
  book.exited(1, 11 | 0x80, false);
  book.exited(2, 9, true);
  book.exited(3, 15, false);
  EXPECT_EQ(book.take_messages(),
            (Lines{"n1: task 0: Killed", "n1: task 1: Segmentation fault (core dumped)",
                   "n1: task 2: Out Of Memory", "n1: task 3: Terminated"}));
}

TEST(TaskBook, TheStatusGroupsTasksByWhatTheyAreAt) {
  TaskBook book;
  book.add_place("n1", {0, 1, 2});
  for (std::uint32_t rank : {0u, 1u, 2u}) book.started(rank, 100 + rank);
  EXPECT_EQ(book.status_lines("1.0"), (Lines{"StepId=1.0 tasks 0-2: running"}));
  book.exited(1, code(4), false);
  EXPECT_EQ(book.status_lines("1.0"),
            (Lines{"StepId=1.0 tasks 0,2: running", "StepId=1.0 task 1: exited abnormally"}));
}

TEST(TaskBook, ANodesFailuresCanBeToldAlone) {
  TaskBook book;
  book.add_place("n1", {0, 1});
  book.add_place("n2", {2});
  book.exited(0, code(3), false);
  book.exited(2, code(3), false);
  EXPECT_EQ(book.take_messages("n2"), (Lines{"n2: task 2: Exited with exit code 3"}));
  book.exited(1, code(3), false);
  EXPECT_EQ(book.take_messages(), (Lines{"n1: tasks 0-1: Exited with exit code 3"}));
}

TEST(TaskBook, OnlyKillAndTermAreForce) {
  TaskBook book;
  book.add_place("n1", {0, 1});
  book.exited(0, SIGSEGV, false);
  EXPECT_FALSE(book.any_forced());
  book.exited(1, SIGTERM, false);
  EXPECT_TRUE(book.any_forced());
}

TEST(TaskBook, ListsProcessesForADebugger) {
  TaskBook book;
  book.add_place("n1", {0});
  book.add_place("n2", {1});
  book.started(0, 100);
  EXPECT_FALSE(book.all_started());
  book.started(1, 200);
  EXPECT_TRUE(book.all_started());
  EXPECT_EQ(
      book.process_lines([](std::uint32_t rank) { return rank == 0 ? "a" : "b"; }),
      (Lines{"task:0, host:n1, pid:100, executable:a", "task:1, host:n2, pid:200, executable:b"}));
}

TEST(TaskBook, TasksThatAreLostCountAsFailed) {
  TaskBook book;
  book.add_place("n1", {0});
  book.add_place("n2", {1});
  book.exited(0, 0, false);
  book.lost("n2");
  EXPECT_EQ(book.exit_code(), 1);
  EXPECT_TRUE(book.all_exited());
}

}  // namespace
}  // namespace muster::cli
