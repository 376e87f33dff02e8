// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/algorithm.hpp"
#include "quadrille/candidate.hpp"

#include <gtest/gtest.h>

#include <iterator>

#include "quadrille/error.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

TEST(Choice, IsTheSameWithoutItsDefaults) {
  for (const Count p : {5, 8})
    for (const char* specification : {"bruck", "bruck:radix=3", "bruck:ports=2,radix=5", "torus:kernel=ar", "shift"}) {
      const Problem problem = Problem::alltoall(p, 8);
      const Choice choice = parse_choice(problem, specification);
      EXPECT_EQ(completed(problem, shortened(problem, choice)), choice) << specification;
    }
  const Choice three = shortened(Problem::alltoall(8, 8), parse_choice(Problem::alltoall(8, 8), "bruck:radix=3,ports=1"));
  EXPECT_EQ(three.parameters, (Parameters{{"radix", Count{3}}}));
  EXPECT_THROW(completed(Problem::alltoall(2, 8), three), Error);
}

TEST(Candidate, HasAShortName) {
  const auto short_name_of = [](const char* text) {
    const Problem problem = Problem::alltoall(8, 8);
    return short_name(problem, parse_candidate(problem, text));
  };
  EXPECT_EQ(short_name_of("bruck:radix=3,ports=1"), "bruck:radix=3");
  EXPECT_EQ(short_name_of("bruck:radix=2"), "bruck");
  EXPECT_EQ(short_name_of("vendor:linear_sync"), "vendor:linear_sync");
}

// A program may pass a record of its own, which is in no table.
TEST(Choice, OfAReductionThatStatesNoOrderOfCombiningIsRefused) {
  Algorithm silent = *find_algorithm(Collective::reduce, "linear");
  silent.combining = nullptr;
  const Problem problem = Problem::reduce(4, 8);
  const Choice choice = completed(problem, {&silent, {}});
  const auto refused = [&](const auto& use) {
    try {
      use();
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::misuse);
      EXPECT_STREQ(error.what(), "the record of reduce/linear has no function 'combining', which every reduction needs");
    }
  };
  refused([&] { static_cast<void>(applies(problem, choice)); });
  refused([&] { make_schedule(problem, choice); });
}

std::string refusal(const Problem& problem, const std::string& specification) {
  try {
    parse_choice(problem, specification);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::misuse);
    return error.what();
  }
  return "";
}

TEST(Choice, WithoutAnAlgorithmIsRefused) {
  const Problem problem = Problem::alltoall(4, 8);
  const Choice none{find_algorithm(Collective::alltoall, "brook"), {}};
  EXPECT_THROW(completed(problem, none), Error);
  EXPECT_THROW(shortened(problem, none), Error);
  EXPECT_THROW(specification(none), Error);
  EXPECT_THROW(make_schedule(problem, none), Error);
}

TEST(Choice, IsReadFromASpecification) {
  const Problem problem = Problem::alltoall(8, 4);
  const Choice choice = parse_choice(problem, "bruck:ports=2,radix=5");
  EXPECT_EQ(choice.algorithm, find_algorithm(Collective::alltoall, "bruck"));
  EXPECT_EQ(number(choice.parameters, "radix"), 5);
  EXPECT_EQ(number(choice.parameters, "ports"), 2);
  EXPECT_EQ(word(choice.parameters, "form"), word(parse_choice(problem, "bruck").parameters, "form")) << "the default";
  EXPECT_EQ(parse_choice(problem, specification(choice)), choice);
}

TEST(Choice, SaysWhatIsWrongWithASpecification) {
  const Problem problem = Problem::alltoall(8, 4);
  EXPECT_EQ(refusal(problem, "bruk"), "there is no alltoall algorithm 'bruk'; did you mean 'bruck'?");
  EXPECT_EQ(refusal(problem, "bruck:radix"), "'radix' in 'bruck:radix' is not a setting; write name=value");
  EXPECT_EQ(refusal(problem, "bruck:"), "'' in 'bruck:' is not a setting; write name=value");
  EXPECT_EQ(refusal(problem, "bruck:radix=2,radix=3"), "radix is given twice in 'bruck:radix=2,radix=3'");
  EXPECT_NE(refusal(problem, "bruck:rdix=2").find("alltoall/bruck has no parameter 'rdix'"), std::string::npos);
  EXPECT_NE(refusal(problem, "bruck:form=round").find("there is no form of alltoall/bruck called 'round'"), std::string::npos);
}

// The range of a number may depend on the problem: a radix is at most p.
TEST(Choice, TakesNumbersOfTheirRange) {
  const Problem problem = Problem::alltoall(8, 4);
  for (const char* right : {"2", "8"}) EXPECT_EQ(refusal(problem, std::string("bruck:radix=") + right), "") << right;
  for (const char* wrong : {"1", "9", "-2", "2.5", "x", "", "9223372036854775808"})
    EXPECT_EQ(
        refusal(problem, std::string("bruck:radix=") + wrong),
        std::string("radix=") + wrong + " is out of range for alltoall/bruck: it is a whole number in 2..max(2,p), here 2..8");
  EXPECT_EQ(refusal(Problem::alltoall(1, 4), "bruck:radix=2"), "");
  const Algorithm& bruck = *find_algorithm(Collective::alltoall, "bruck");
  EXPECT_THROW(completed(problem, {&bruck, {{"radix", Count{9}}}}), Error);
  EXPECT_NO_THROW(completed(problem, {&bruck, {{"radix", Count{8}}}}));
  EXPECT_THROW(completed(problem, {&bruck, {{"radix", "many"}}}), Error) << "a word";
  EXPECT_THROW(completed(problem, {&bruck, {{"form", Count{2}}}}), Error) << "a number";
}

// A default out of the problem's range is clipped; a value of the caller is refused.
TEST(Choice, ClipsDefaults) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 3})
      EXPECT_NO_THROW(parse_choice(testing::problem_of(algorithm->collective, p, 8), algorithm->id)) << algorithm->id << ' ' << p;
}

// Whoever combines in any order serves only operators that commute; whoever follows the fixed tree serves all.
TEST(Applies, ComparesOrdersOfCombining) {
  Algorithm made = *find_algorithm(Collective::reduce, "linear");
  made.applies = nullptr;
  Problem problem = Problem::reduce(4, 8);
  const auto why = [&](Combining order, bool commutative, bool reproducible) {
    made.combining = order == Combining::any_order    ? +[](const Problem&, const Parameters&) { return Combining::any_order; }
                     : order == Combining::rank_order ? +[](const Problem&, const Parameters&) { return Combining::rank_order; }
                                                      : +[](const Problem&, const Parameters&) { return Combining::fixed_tree; };
    made.combining_rule = "as stated";
    problem.commutative = commutative;
    problem.reproducible = reproducible;
    const Result<> result = applies(problem, {&made, {}});
    return result ? std::string() : result.error();
  };
  const std::string order =
      "it combines operands in another order than that of the ranks, and the operator does not commute; its order of combining is: "
      "as stated";
  const std::string tree =
      "it does not combine operands along the fixed tree that makes results reproducible; its order of combining is: as stated";
  EXPECT_EQ(why(Combining::any_order, true, false), "");
  EXPECT_EQ(why(Combining::any_order, false, false), order);
  EXPECT_EQ(why(Combining::rank_order, false, false), "");
  EXPECT_EQ(why(Combining::rank_order, true, true), tree);
  EXPECT_EQ(why(Combining::fixed_tree, true, true), "");
  EXPECT_EQ(why(Combining::fixed_tree, false, false), "");
}

TEST(MakeSchedule, StatesWhatItsAlgorithmKnows) {
  const Schedule bruck = make_schedule(Problem::alltoall(8, 4), "bruck:ports=2,radix=3");
  EXPECT_EQ(bruck.algorithm, "bruck");
  EXPECT_EQ(bruck.port_limit, 2);
  ASSERT_TRUE(bruck.symmetry);
  EXPECT_EQ(bruck.symmetry->ranks(), 8);
  EXPECT_FALSE(make_schedule(Problem::alltoall(8, 4), "one-factor").symmetry);
  EXPECT_THROW(make_schedule(Problem::alltoall(0, 4), "bruck"), Error) << "there is no such problem";
}

TEST(MakeSchedule, RefusesWhatDoesNotApplyWithTheReason) {
  const auto choose = [] { return parse_choice(Problem::alltoall(6, 4), "xor"); };
  try {
    make_schedule(Problem::alltoall(6, 4), choose());
    ADD_FAILURE() << "xor needs a power of two";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("alltoall/xor does not apply: ")) << error.what();
  }
}

}  // namespace
}  // namespace quadrille
