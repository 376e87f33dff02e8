// SPDX-License-Identifier: BSD-3-Clause
// Compares the built-in operators with their definitions, and tests the operands by which races and tests check reductions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "execute/script/script.hpp"
#include "execute/transport.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/program_builder.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille {
namespace {

template <class Element>
Element combined(const char* name, const char* type, Element left, Element right) {
  const auto operation = built_in_operator(name, type);
  EXPECT_EQ(operation->element_bytes, static_cast<Bytes>(sizeof(Element)));
  Element first = right, second = left;
  operation->combine(reinterpret_cast<const std::byte*>(&left), reinterpret_cast<std::byte*>(&first), 1,
                     OperandOrder::source_first);
  operation->combine(reinterpret_cast<const std::byte*>(&right), reinterpret_cast<std::byte*>(&second), 1,
                     OperandOrder::target_first);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0) << name << ' ' << type;
  return first;
}

TEST(Operators, MatchTheirDefinitions) {
  EXPECT_EQ(combined<std::int32_t>("sum", "i32", -3, 5), 2);
  EXPECT_EQ(combined<std::int8_t>("sum", "i8", 127, 1), -128) << "integers wrap around";
  EXPECT_EQ(combined<std::int16_t>("prod", "i16", 300, 300), static_cast<std::int16_t>(90000));
  EXPECT_EQ(combined<std::uint64_t>("prod", "u64", 1ULL << 63, 3), 1ULL << 63);
  EXPECT_EQ(combined<float>("prod", "f32", 1.5F, -2.F), -3.F);
  EXPECT_EQ(combined<double>("min", "f64", 1.5, -2.), -2.);
  EXPECT_EQ(combined<std::uint8_t>("max", "u8", 200, 100), 200);
  EXPECT_EQ(combined<std::int8_t>("max", "i8", static_cast<std::int8_t>(200), 100), 100);
  EXPECT_EQ(combined<std::uint16_t>("band", "u16", 0xF0F0, 0xFF00), 0xF000);
  EXPECT_EQ(combined<std::uint16_t>("bor", "u16", 0xF0F0, 0xFF00), 0xFFF0);
  EXPECT_EQ(combined<std::uint16_t>("bxor", "u16", 0xF0F0, 0xFF00), 0x0FF0);
  EXPECT_EQ(combined<std::int64_t>("land", "i64", 2, 4), 1);
  EXPECT_EQ(combined<std::int64_t>("land", "i64", 2, 0), 0);
  EXPECT_EQ(combined<std::int64_t>("lor", "i64", 0, 4), 1);
  EXPECT_EQ(combined<std::int64_t>("lxor", "i64", 2, 4), 0);
  EXPECT_EQ(combined<std::complex<float>>("prod", "c64", {1, 2}, {3, -4}), std::complex<float>(11, 2));
  EXPECT_EQ(combined<std::complex<double>>("sum", "c128", {1, 2}, {3, -4}), std::complex<double>(4, -2));
  struct Place {
    double value;
    std::int32_t index, padding;
  };
  EXPECT_EQ(combined<Place>("minloc", "f64_i32", {2, 7, 0}, {2, 5, 0}).index, 5);
  EXPECT_EQ(combined<Place>("minloc", "f64_i32", {1, 7, 0}, {2, 5, 0}).index, 7);
  EXPECT_EQ(combined<Place>("maxloc", "f64_i32", {1, 7, 0}, {2, 5, 0}).value, 2);
  // Only the order of the operands matters, not which of them is source or target; also for NaN and zeros (`combined` compares
  // bits).
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"minloc", "maxloc"})
    for (const double a : {nan, 0.0, -0.0, 1.0})
      for (const double b : {nan, 0.0, -0.0, 1.0})
        for (const std::int32_t index : {0, 1}) combined<Place>(name, "f64_i32", {a, 0, 0}, {b, index, 0});
  for (const char* name : {"min", "max", "sum", "prod"})
    for (const double a : {nan, 0.0, -0.0, 1.0})
      for (const double b : {0.0, -0.0, 1.0}) combined<double>(name, "f64", a, b);
  using Matrix = std::array<std::int32_t, 4>;
  EXPECT_EQ(combined<Matrix>("matmul2", "i32", {1, 2, 3, 4}, {5, 6, 7, 8}), (Matrix{19, 22, 43, 50}));
  EXPECT_EQ(combined<Matrix>("matmul2", "i32", {5, 6, 7, 8}, {1, 2, 3, 4}), (Matrix{23, 34, 31, 46}));
}

// A NaN among the operands is the result, whichever operand it is and wherever it stands in the vector. Otherwise ranks that
// combine in different orders would get different results.
template <class Number>
void expect_nan_wins(const char* type) {
  constexpr std::size_t length = 37;  // whole vectors of the processor and a rest
  const Number nan = std::numeric_limits<Number>::quiet_NaN();
  for (const char* name : {"min", "max"})
    for (const OperandOrder order : {OperandOrder::source_first, OperandOrder::target_first})
      for (std::size_t at = 0; at < length; ++at)
        for (const bool in_source : {true, false}) {
          std::vector<Number> source(length, 1), target(length, 2);
          (in_source ? source : target)[at] = nan;
          built_in_operator(name, type)
              ->combine(reinterpret_cast<const std::byte*>(source.data()), reinterpret_cast<std::byte*>(target.data()), length,
                        order);
          for (std::size_t i = 0; i < length; ++i) {
            if (i == at)
              EXPECT_TRUE(std::isnan(target[i])) << name << ' ' << type << ' ' << i;
            else
              EXPECT_EQ(target[i], Number{*name == 'm' && name[1] == 'i' ? 1.F : 2.F}) << name << ' ' << type << ' ' << i;
          }
        }
}

TEST(Operators, MinAndMaxPropagateNaN) {
  expect_nan_wins<float>("f32");
  expect_nan_wins<double>("f64");
}

TEST(Operators, PlacesOfNaNWinAndTheLeastOfThem) {
  struct Place {
    double value;
    std::int32_t index, padding;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"minloc", "maxloc"}) {
    EXPECT_EQ(combined<Place>(name, "f64_i32", {1, 0, 0}, {nan, 1, 0}).index, 1) << name;
    EXPECT_EQ(combined<Place>(name, "f64_i32", {nan, 1, 0}, {1, 0, 0}).index, 1) << name;
    EXPECT_EQ(combined<Place>(name, "f64_i32", {nan, 3, 0}, {nan, 2, 0}).index, 2) << name;
  }
}

TEST(Operators, WithUnknownNamesAreRefusedWithASentence) {
  EXPECT_THROW(built_in_operator("plus", "f64"), Error);
  EXPECT_THROW(built_in_operator("sum", "string"), Error);
  EXPECT_THROW(built_in_operator("band", "f64"), Error);
  EXPECT_THROW(reduction(Collective::alltoall, 4, 3, *built_in_operator("sum", "f64")), Error);
  EXPECT_THROW(reduction(Collective::reduce, 4, Count{1} << 61, *built_in_operator("sum", "f64")), Error);
  const Problem problem = reduction(Collective::allreduce, 4, 3, *built_in_operator("matmul2", "f64"));
  EXPECT_EQ(problem.block_bytes, 96);
  EXPECT_EQ(problem.element_bytes, 32);
  EXPECT_FALSE(problem.commutative);
}

// Reductions of strided operands, in both orders, with every policy.
TEST(Reductions, RunOnStridedRegions) {
  const auto operation = built_in_operator("matmul2", "u8");
  run_threads(2, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
      ProgramBuilder program{me};
      program.scratch(12);
      program.begin_round();
      const Region every_other{Buffer::input, 0, 4, {{{2, 8}, {1, 0}, {1, 0}}}};
      program.copy({every_other}, {{Buffer::output, 0, 8}});
      program.send(1 - me, {every_other});
      program.receive(1 - me, {{Buffer::scratch, 4, 8}});
      program.begin_round();
      program.reduce({{Buffer::scratch, 4, 8}}, {{Buffer::output, 0, 8}},
                     me == 0 ? OperandOrder::target_first : OperandOrder::source_first);
      const auto script = std::make_shared<const Script>(
          make_script(std::move(program).finish(), 2, {.policy = policy, .strided_messages = true, .operation = operation}));
      const auto executable = communicator.transport().prepare(script);
      using Matrix = std::array<std::uint8_t, 4>;
      const Matrix inputs[2][3] = {{{1, 2, 3, 4}, {9, 9, 9, 9}, {1, 0, 0, 1}}, {{5, 6, 7, 8}, {9, 9, 9, 9}, {2, 0, 0, 3}}};
      Matrix output[2];
      executable->execute({reinterpret_cast<const std::byte*>(inputs[me]), reinterpret_cast<std::byte*>(output)});
      EXPECT_EQ(output[0], (Matrix{19, 22, 43, 50}));
      EXPECT_EQ(output[1], (Matrix{2, 0, 0, 3}));
    }
  });
}

// Uses an operator that requires aligned elements, and notes if it was called with others.
TEST(Reductions, PassAlignedElementsToOperators) {
  const auto sum = built_in_operator("sum", "u32");
  for (const Bytes element_bytes : {4, 12, 16, 8192}) {  // elements of one or several numbers
    bool aligned = true;
    const Bytes alignment = element_bytes % 16 == 0 ? 16 : 4;
    const auto combine = on_aligned_elements(
        [&](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
          for (const std::byte* place : {source, static_cast<const std::byte*>(target)})
            aligned = aligned && reinterpret_cast<std::uintptr_t>(place) % static_cast<std::uintptr_t>(alignment) == 0;
          sum->combine(source, target, elements * element_bytes / 4, order);
        },
        element_bytes);
    const Count elements = 2000 / (element_bytes / 4) + 3;
    const auto length = static_cast<std::size_t>(elements * element_bytes);
    std::vector<std::byte> source(length + 32), target(length + 32);
    for (std::size_t i = 0; i < source.size(); ++i)
      source[i] = static_cast<std::byte>(i * 7), target[i] = static_cast<std::byte>(i * 5);
    for (const std::size_t s : {0u, 1u, 4u, 8u})
      for (const std::size_t t : {0u, 3u, 8u}) {
        std::vector<std::byte> expected = target, result = target;
        sum->combine(source.data() + s, expected.data() + t, static_cast<Count>(length / 4), OperandOrder::source_first);
        combine(source.data() + s, result.data() + t, elements, OperandOrder::source_first);
        EXPECT_EQ(result, expected);
      }
    EXPECT_TRUE(aligned) << element_bytes;
  }
}

TEST(Reductions, RefuseAnOperatorThatDoesNotFit) {
  run_threads(2, [](Communicator& communicator) {
    const auto sum = built_in_operator("sum", "f64"), product = built_in_operator("matmul2", "f32");
    Problem problem = reduction(Collective::allreduce, 2, 4, *sum);
    EXPECT_THROW(plan(communicator, problem), Error);
    EXPECT_THROW(plan(communicator, problem, {.operation = product}), Error);
    problem = reduction(Collective::allreduce, 2, 4, *product);
    problem.commutative = true;
    EXPECT_THROW(plan(communicator, problem, {.operation = product}), Error);
  });
}

}  // namespace
}  // namespace quadrille
