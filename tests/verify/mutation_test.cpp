// SPDX-License-Identifier: BSD-3-Clause
// Tests the verifier with changed schedules. If the interpreter shows that a mutant gives wrong bytes, the verifier
// must have a finding. For small schedules, every single change of an operation is tried.
#include <gtest/gtest.h>

#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Of each algorithm, more mutants than this must be wrong. Then the interpreter only runs the mutants without findings.
const int enough_wrong = extent(10, 15, 50);

struct Counts {
  int changes = 0, mutants = 0, wrong = 0, objected = 0;
};

class ExhaustiveMutator {
 public:
  ExhaustiveMutator(const Schedule& schedule, Counts& counts) : schedule_(schedule), counts_(counts) {
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs_.push_back(schedule.program(rank));
  }

  void run() {
    for (std::size_t rank = 0; rank < programs_.size(); ++rank)
      for (std::size_t round = 0; round < programs_[rank].rounds.size(); ++round) {
        mutate_messages(rank, round, &Round::sends);
        mutate_messages(rank, round, &Round::receives);
        mutate_locals(rank, round);
        if (round + 1 < programs_[rank].rounds.size())
          attempt("reorder rounds", rank, [&](Program& program) {
            std::swap(program.rounds[round], program.rounds[round + 1]);
            std::swap(program.rounds[round].number, program.rounds[round + 1].number);
          });
      }
  }

 private:
  template <class Change>
  void attempt(const char* what, std::size_t rank, Change&& change) {
    std::vector<Program> mutant = programs_;
    change(mutant[rank]);
    if (mutant == programs_ || ++counts_.changes % extent(5, 3, 1) != 0) return;
    Schedule schedule = schedule_;
    schedule.symmetry.reset();
    schedule.program = [&mutant](Rank r) { return mutant[static_cast<std::size_t>(r)]; };
    const bool objected = !verify(schedule).empty();
    ++counts_.mutants;
    counts_.objected += objected ? 1 : 0;
    if (objected && counts_.wrong > enough_wrong) return;
    const std::string wrong = judge(schedule);
    counts_.wrong += wrong.empty() ? 0 : 1;
    EXPECT_TRUE(objected || wrong.empty()) << what << " at rank " << rank << " of " << specification(schedule_) << ": " << wrong;
  }

  static void shorten(Regions& regions) {
    if (--regions.back().length == 0) regions.pop_back();
  }

  void mutate_messages(std::size_t rank, std::size_t round, std::vector<Message> Round::*messages) {
    const auto count = (programs_[rank].rounds[round].*messages).size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = [&](Program& program) -> Message& { return (program.rounds[round].*messages)[i]; };
      const auto all = [&](Program& program) -> std::vector<Message>& { return program.rounds[round].*messages; };
      attempt("drop", rank, [&](Program& program) { all(program).erase(all(program).begin() + static_cast<std::ptrdiff_t>(i)); });
      attempt("duplicate", rank, [&](Program& program) { all(program).push_back(Message(one(program))); });
      attempt("redirect", rank, [&](Program& program) { one(program).peer = (one(program).peer + 1) % schedule_.problem.ranks; });
      attempt("shorten", rank, [&](Program& program) { shorten(one(program).regions); });
      attempt("move", rank, [&](Program& program) { one(program).regions[0].offset += schedule_.problem.block_bytes; });
      attempt("move back", rank, [&](Program& program) { one(program).regions[0].offset -= 1; });
      attempt("other buffer", rank, [&](Program& program) {
        Buffer& buffer = one(program).regions[0].buffer;
        buffer = buffer == Buffer::input ? Buffer::output : Buffer::input;
      });
      if (one(programs_[rank]).regions.size() > 1)
        attempt("reorder regions", rank, [&](Program& program) { std::swap(one(program).regions[0], one(program).regions[1]); });
      if (i + 1 < count)
        attempt("exchange contents", rank,
                [&](Program& program) { std::swap(all(program)[i].regions, all(program)[i + 1].regions); });
    }
  }

  void mutate_locals(std::size_t rank, std::size_t round) {
    const auto count = programs_[rank].rounds[round].locals.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto all = [&](Program& program) -> std::vector<Local>& { return program.rounds[round].locals; };
      attempt("drop local", rank,
              [&](Program& program) { all(program).erase(all(program).begin() + static_cast<std::ptrdiff_t>(i)); });
      attempt("duplicate local", rank, [&](Program& program) { all(program).push_back(Local(all(program)[i])); });
      attempt("shorten local", rank, [&](Program& program) {
        shorten(all(program)[i].source);
        shorten(all(program)[i].target);
      });
      attempt("move source", rank, [&](Program& program) { all(program)[i].source[0].offset += 1; });
      attempt("turn around", rank, [&](Program& program) { std::swap(all(program)[i].source, all(program)[i].target); });
    }
  }

  const Schedule& schedule_;
  Counts& counts_;
  std::vector<Program> programs_;
};

TEST(Mutation, EveryWrongMutantIsFound) {
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == Collective::barrier)
      continue;  // it delivers no bytes; see tests/collectives/barrier/barrier_test.cpp
    Counts counts;
    const auto mutate = [&](Count p) {
      for (const Problem& problem : problems_of(*algorithm, p, 2))
        for (const Choice& choice : all_choices(*algorithm, problem, 3))
          ExhaustiveMutator(make_schedule(problem, choice), counts).run();
    };
    for (const Count p : extent<std::vector<Count>>({4}, {4}, {3, 4, 5})) mutate(p);
    for (const Count p : {3, 16})  // some algorithms need an odd number of ranks, or a grid whose sides are multiples of 4
      if (counts.mutants == 0) mutate(p);
    EXPECT_GT(counts.wrong, enough_wrong) << algorithm->id << ": too few mutants are wrong";
    RecordProperty(std::string(algorithm->id),
                   std::to_string(counts.objected) + " of " + std::to_string(counts.mutants) + " mutants objected to");
  }
}

}  // namespace
}  // namespace quadrille
