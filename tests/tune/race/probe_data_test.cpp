// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/probe_data.hpp"

#include <gtest/gtest.h>

#include <random>

#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {
namespace {

// Combines the operands of all ranks in an order drawn by `random`; only neighbours if the operator does not commute.
std::vector<std::byte> combined_somehow(const Problem& problem, const std::shared_ptr<const Operator>& operation, int pass,
                                        std::mt19937& random) {
  std::vector<std::vector<std::byte>> values;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    values.emplace_back(static_cast<std::size_t>(problem.block_bytes));
    Operands(problem, rank, operation).fill_input(pass, values.back().data());
  }
  while (values.size() > 1) {
    const std::size_t left = random() % (values.size() - 1);
    const std::size_t right = operation->commutative ? left + 1 + random() % (values.size() - left - 1) : left + 1;
    const bool into_left = random() % 2 == 0;
    auto &source = into_left ? values[right] : values[left], &target = into_left ? values[left] : values[right];
    operation->combine(source.data(), target.data(), problem.block_bytes / operation->element_bytes,
                       into_left ? OperandOrder::target_first : OperandOrder::source_first);
    if (!into_left) values[left] = values[right];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(right));
  }
  return values[0];
}

TEST(Operands, GiveTheSameBitsInEveryOrder) {
  std::mt19937 random(7);
  for (const std::string& name : operator_names())
    for (const std::string& type : type_names()) {
      std::shared_ptr<const Operator> operation;
      try {
        operation = built_in_operator(name, type);
      } catch (const Error&) {
        continue;
      }
      for (const Count p : {1, 2, 3, 17, 200}) {
        const Problem problem = reduction(Collective::allreduce, p, 50, *operation);
        const Operands data(problem, 0, operation);
        for (int pass = 0; pass < data.pass_count(); ++pass) {
          std::vector<std::byte> output = combined_somehow(problem, operation, pass, random);
          ASSERT_EQ(data.compare_output(pass, output.data()), "") << name << ' ' << type << " p=" << p;
          data.spoil_output(pass, output.data());
          ASSERT_NE(data.compare_output(pass, output.data()), "") << name << ' ' << type;
        }
      }
    }
}

// Operands must reveal mistakes of a reduction: an operand left out or taken twice, elements exchanged, a wrong order.
TEST(Operands, RevealMistakesOfAReduction) {
  for (const auto& [name, type] : {std::pair("sum", "f64"),
                                   {"sum", "u8"},
                                   {"min", "f32"},
                                   {"bor", "u32"},
                                   {"land", "i32"},
                                   {"prod", "f64"},
                                   {"maxloc", "f32_i32"},
                                   {"matmul2", "f64"},
                                   {"matmul2", "u8"}}) {
    const auto operation = built_in_operator(name, type);
    const Problem problem = reduction(Collective::allreduce, 3, 200, *operation);
    std::vector<std::vector<std::byte>> in(3, std::vector<std::byte>(static_cast<std::size_t>(problem.block_bytes)));
    for (Rank rank = 0; rank < 3; ++rank)
      Operands(problem, rank, operation).fill_input(0, in[static_cast<std::size_t>(rank)].data());
    const auto wrong = [&](std::vector<std::size_t> order) {
      std::vector<std::byte> result = in[order[0]];
      for (std::size_t i = 1; i < order.size(); ++i)
        operation->combine(in[order[i]].data(), result.data(), 200, OperandOrder::target_first);
      return !Operands(problem, 1, operation).compare_output(0, result.data()).empty();
    };
    EXPECT_FALSE(wrong({0, 1, 2})) << name << type;
    EXPECT_TRUE(wrong({0, 1})) << name << type;
    EXPECT_TRUE(wrong({0, 2})) << name << type;
    EXPECT_EQ(wrong({0, 2, 1}), !operation->commutative) << name << type;
    std::swap_ranges(in[0].begin(), in[0].begin() + operation->element_bytes * 100, in[0].begin() + operation->element_bytes * 100);
    EXPECT_TRUE(wrong({0, 1, 2})) << name << type;
  }
}

}  // namespace
}  // namespace quadrille
