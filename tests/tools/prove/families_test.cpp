// SPDX-License-Identifier: BSD-3-Clause
// The proofs for all numbers of ranks: z3 decides each step, no step has contradictory assumptions, and a fault in a description
// makes steps false.
#include "prove/proof.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "quadrille/error.hpp"
#include "support/own_folder.hpp"

namespace quadrille::command {
namespace {

class ProveFamilies : public quadrille::testing::OwnFolder {
 protected:
  void SetUp() override {
    quadrille::testing::OwnFolder::SetUp();
    if (std::system("z3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "z3 is missing";
  }

  std::vector<ProvedStep> answers(const std::string& document) const {
    const std::string file = place_ / "proof.smt2";
    std::ofstream(file) << document;
    return answers_of("z3", file, document);
  }

  Count count_of(Answer answer, const std::string& document) const {
    const std::vector<ProvedStep> steps = answers(document);
    return std::count_if(steps.begin(), steps.end(), [&](const ProvedStep& step) { return step.answer == answer; });
  }
};

std::string document_of(std::string_view id) {
  for (const ProvedFamily& family : proved_families())
    if (family.id == id) return proof_document(family);
  ADD_FAILURE() << id;
  return "";
}

TEST_F(ProveFamilies, ProvesEachStep) {
  for (const ProvedFamily& family : proved_families()) {
    const std::vector<ProvedStep> steps = answers(proof_document(family));
    EXPECT_GE(steps.size(), 7u) << family.id;
    for (const ProvedStep& step : steps) EXPECT_EQ(step.answer, Answer::unsat) << family.id << ": " << step.name;
  }
}

// If the assumptions contradicted each other, each goal would follow.
TEST_F(ProveFamilies, AssumesWhatIsPossible) {
  for (const ProvedFamily& family : proved_families()) {
    const std::string without_goals =
        std::regex_replace(proof_document(family), std::regex(R"(\(assert \(not [^\n]*\n\(check-sat\))"), "(check-sat)");
    for (const ProvedStep& step : answers(without_goals)) EXPECT_EQ(step.answer, Answer::sat) << family.id << ": " << step.name;
  }
}

// Returns the document with only the section around `place`, so that z3 has less to do.
std::string section_at(const std::string& document, std::size_t place) {
  const std::string head = document.substr(0, document.find("(push 1)")), end = "\n(pop 1)\n(pop 1)\n";
  const std::size_t begin = document.rfind("(push 1)\n(define-fun", place), last = document.find(end, place);
  return head + document.substr(begin, last + end.size() - begin);
}

struct PlantedChange {
  const char *family, *what, *from, *to;
};

TEST_F(ProveFamilies, NoticeFaults) {
  const std::vector<PlantedChange> faults{
      {"alltoall/bruck", "wrong hop", "(define-fun hop-1 ((w Int)) Int (* 1 w))", "(define-fun hop-1 ((w Int)) Int (* 2 w))"},
      {"alltoall/bruck", "last level is missing", "Bool (< w p))", "Bool (< (* 2 w) p))"},
      {"alltoall/bruck", "a digit is missing", "Bool (< (* 2 w) p))", "Bool (< (* 3 w) p))"},
      {"alltoall/bruck", "wrong next place", "Int (* 3 w))", "Int (* 4 w))"},
      {"alltoall/bruck", "wrong count of slots", "(+ (* high w) ", "(+ (* high w) 1 "},
      {"alltoall/bruck", "wrong block of the output", "(+ (- i j) p)", "(- (+ (- i j) p) 1)"},
      {"allgather/concatenation", "wrong distance", "(define-fun distance-2 ((w Int)) Int (* 2 w))",
       "(define-fun distance-2 ((w Int)) Int (* 1 w))"},
      {"allgather/concatenation", "a round is missing", "Bool (< (* 2 w) p))", "Bool (< (* 3 w) p))"},
      {"allgather/concatenation", "roles arrive twice", "(define-fun first-1 ((w Int)) Int (* 1 w))",
       "(define-fun first-1 ((w Int)) Int (- (* 1 w) 1))"},
      {"allgather/concatenation", "wrong count", "(define-fun next-known ((w Int)) Int (* 3 w))",
       "(define-fun next-known ((w Int)) Int (+ (* 3 w) 1))"},
      {"allgather/concatenation", "wrong last distance", "(- next 1)", "(- next 2)"},
      {"allgather/recursive-doubling", "wrong partner", "(bvxor i m)", "(bvadd i m)"},
      {"allgather/recursive-doubling", "wrong first block", "(bvand i (bvneg m))", "(bvand i (bvneg (bvadd m m)))"},
      {"alltoall/one-factor", "wrong round", "(ite (< (+ u v) p) (+ u v) (- (+ u v) p))",
       "(ite (< (+ u v) p) (+ u v) (- (+ u v) 1))"},
      {"alltoall/one-factor", "a round is missing", "Int p)", "Int (- p 1))"},
      {"alltoall/one-factor", "too many rounds", "Int (- p 1))", "Int p)"},
      {"alltoall/one-factor", "wrong partner of the last rank", "(+ v v)", "(+ v 1)"},
  };
  for (const PlantedChange& fault : faults) {
    std::string document = document_of(fault.family);
    const std::size_t place = document.find(fault.from);
    ASSERT_NE(place, std::string::npos) << fault.family << ": " << fault.what;
    document.replace(place, std::string(fault.from).size(), fault.to);
    EXPECT_GT(count_of(Answer::sat, section_at(document, place)), 0) << fault.family << ": " << fault.what;
  }
}

TEST_F(ProveFamilies, RefuseOtherAnswers) {
  EXPECT_THROW(answers("(echo \"a step\")\n(check-set)\n"), Error);
  EXPECT_THROW(answers("(echo \"a step\")\n"), Error);
}

}  // namespace
}  // namespace quadrille::command
