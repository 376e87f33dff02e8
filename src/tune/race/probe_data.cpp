// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/probe_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <type_traits>

#include "foundation/hash.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count elements_at_once = 4096;

template <class Value>
void put(const Value& value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

bool one_in(Count many, std::uint64_t hash) { return (hash >> 32) % static_cast<std::uint64_t>(std::max<Count>(1, many)) == 0; }

// Operands of sums. Integers may have any bits. Floating-point operands are small whole numbers, so that sums over 2^16 ranks are
// exact.
template <class Number>
Number to_add(std::uint64_t hash) {
  if constexpr (std::is_integral_v<Number>) return static_cast<Number>(hash);
  return static_cast<Number>(static_cast<std::int64_t>(hash % 255) - 127);
}

// Operands of products. Integers are odd, because multiplying by odd numbers loses no bits. Floating-point operands are plus or
// minus 1, 2 or 1/2; most are 1, so that no product overflows.
template <class Number>
Number to_multiply(std::uint64_t hash, Count ranks) {
  if constexpr (std::is_integral_v<Number>) return static_cast<Number>(hash | 1);
  const Number magnitude = one_in(ranks / 64, hash) ? (hash & 2 ? Number(2) : Number(0.5)) : Number(1);
  return hash & 1 ? -magnitude : magnitude;
}

// Operands of matrix products. Floating-point matrices are the eight symmetries of the square: they are a group, so products stay
// exact, and they do not commute. Integers may have any bits.
template <class Number>
std::array<Number, 4> to_chain(std::uint64_t hash) {
  if constexpr (std::is_integral_v<Number>)
    return {static_cast<Number>(hash), static_cast<Number>(hash >> 8), static_cast<Number>(hash >> 16),
            static_cast<Number>(hash >> 24)};
  const auto sign = [hash](int bit) { return hash >> bit & 1 ? Number(1) : Number(-1); };
  if (hash & 4) return {sign(0), 0, 0, sign(1)};
  return {0, sign(0), sign(1), 0};
}

template <class Number>
Operands::Write writer_of_numbers(std::string_view name) {
  if (name == "matmul2") return [](std::uint64_t hash, Count, std::byte* element) { put(to_chain<Number>(hash), element); };
  if (name == "prod")
    return [](std::uint64_t hash, Count ranks, std::byte* element) { put(to_multiply<Number>(hash, ranks), element); };
  if constexpr (std::is_integral_v<Number>) {
    constexpr int bits = 8 * sizeof(Number);
    if (name == "band")  // each rank clears one bit, because with more the result would often be 0
      return [](std::uint64_t hash, Count, std::byte* element) {
        put(static_cast<Number>(~(std::uint64_t{1} << hash % bits)), element);
      };
    if (name == "bor")
      return
          [](std::uint64_t hash, Count, std::byte* element) { put(static_cast<Number>(std::uint64_t{1} << hash % bits), element); };
    if (name == "land")
      return [](std::uint64_t hash, Count ranks, std::byte* element) {
        put(static_cast<Number>(one_in(ranks, hash) ? 0 : hash | 1), element);
      };
    if (name == "lor")
      return [](std::uint64_t hash, Count ranks, std::byte* element) {
        put(static_cast<Number>(one_in(ranks, hash) ? hash | 1 : 0), element);
      };
    if (name == "lxor")
      return [](std::uint64_t hash, Count, std::byte* element) { put(static_cast<Number>(hash & 1 ? hash : 0), element); };
  }
  if (name == "sum" || name == "min" || name == "max" || name == "bxor")
    return [](std::uint64_t hash, Count, std::byte* element) { put(to_add<Number>(hash), element); };
  return nullptr;
}

template <class Complex>
Operands::Write writer_of_complex(std::string_view name) {
  using Number = typename Complex::value_type;
  if (name == "prod")  // 1, i, -1, -i
    return [](std::uint64_t hash, Count, std::byte* element) {
      const Number sign = hash & 1 ? Number(1) : Number(-1);
      put(hash & 2 ? Complex(sign, 0) : Complex(0, sign), element);
    };
  return
      [](std::uint64_t hash, Count, std::byte* element) { put(Complex(to_add<Number>(hash), to_add<Number>(hash >> 8)), element); };
}

template <class Number>
Number got(const std::byte* place) {
  Number number;
  std::memcpy(&number, place, sizeof number);
  return number;
}

template <class Number>
bool same_numbers(const std::byte* a, const std::byte* b, Bytes element_bytes) {
  for (Bytes at = 0; at < element_bytes; at += static_cast<Bytes>(sizeof(Number)))
    if (got<Number>(a + at) != got<Number>(b + at)) return false;
  return true;
}

template <class Value>
constexpr std::size_t index_offset = std::max(sizeof(Value), sizeof(std::int32_t));

// The values come from a small range, so that ties occur and the index decides.
template <class Value>
void write_pair(std::uint64_t hash, Count, std::byte* element) {
  put(static_cast<Value>(hash % 8), element);
  put(static_cast<std::int32_t>(hash >> 40), element + index_offset<Value>);
}

template <class Value>
bool same_pairs(const std::byte* a, const std::byte* b, Bytes) {
  return got<Value>(a) == got<Value>(b) && got<std::int32_t>(a + index_offset<Value>) == got<std::int32_t>(b + index_offset<Value>);
}

struct TypeOfElements {
  std::string_view name;
  Operands::Write (*writer)(std::string_view operation);
  Operands::Same same;
};

template <class Number>
constexpr TypeOfElements numbers(std::string_view name) {
  return {name, writer_of_numbers<Number>, same_numbers<Number>};
}

template <class Number>
constexpr TypeOfElements complex(std::string_view name) {
  return {name, writer_of_complex<std::complex<Number>>, same_numbers<Number>};
}

template <class Value>
constexpr TypeOfElements pairs(std::string_view name) {
  return {name, [](std::string_view) -> Operands::Write { return write_pair<Value>; }, same_pairs<Value>};
}

constexpr TypeOfElements types[] = {
    numbers<std::int8_t>("i8"),     numbers<std::int16_t>("i16"),   numbers<std::int32_t>("i32"),   numbers<std::int64_t>("i64"),
    numbers<std::uint8_t>("u8"),    numbers<std::uint16_t>("u16"),  numbers<std::uint32_t>("u32"),  numbers<std::uint64_t>("u64"),
    numbers<float>("f32"),          numbers<double>("f64"),         complex<float>("c64"),          complex<double>("c128"),
    pairs<std::int16_t>("i16_i32"), pairs<std::int32_t>("i32_i32"), pairs<std::int64_t>("i64_i32"), pairs<float>("f32_i32"),
    pairs<double>("f64_i32"),
};

}  // namespace

Labels::Labels(const Problem& problem, Rank rank) : problem_(problem), rank_(rank), expected_(expected_output(problem, rank)) {
  // In regular collectives all inputs have the same length. Otherwise, find the longest.
  if (is_irregular(problem.collective) || is_rooted(problem.collective))
    for (Rank other = 0; other < problem.ranks; ++other) longest_input_ = std::max(longest_input_, input_bytes(problem, other));
  else
    longest_input_ = input_bytes(problem, rank);
  const auto label_count = static_cast<std::uint64_t>(problem.ranks) * static_cast<std::uint64_t>(longest_input_);
  pass_count_ = std::max(1, (static_cast<int>(std::bit_width(label_count)) + 7) / 8);
}

std::byte Labels::label(int pass, Rank rank, Bytes offset) const {
  return static_cast<std::byte>((rank * longest_input_ + offset) >> (8 * pass));
}

void Labels::fill_input(int pass, std::byte* input) const {
  const Bytes length = input_bytes(problem_, rank_);
  for (Bytes i = 0; i < length; ++i) input[i] = label(pass, rank_, i);
}

void Labels::spoil_output(int pass, std::byte* output) const {
  for (const ExpectedPiece& piece : expected_)
    for (Bytes i = 0; i < piece.length; ++i) output[piece.offset + i] = ~label(pass, piece.first, piece.input_offset + i);
}

std::string Labels::compare_output(int pass, const std::byte* output) const {
  for (const ExpectedPiece& piece : expected_)
    for (Bytes i = 0; i < piece.length; ++i)
      if (output[piece.offset + i] != label(pass, piece.first, piece.input_offset + i))
        return fmt::format("rank {}: byte {} of the output should come from rank {}, byte {} of its input", rank_, piece.offset + i,
                           piece.first, piece.input_offset + i);
  return "";
}

Operands::Operands(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation)
    : problem_(problem), rank_(rank), operation_(std::move(operation)) {
  for (const TypeOfElements& type : types)
    if (type.name == operation_->type) {
      write_ = type.writer(operation_->name);
      same_ = type.same;
    }
  if (!write_)
    throw Error(ErrorCode::misuse, fmt::format("there is no data to check '{}' of '{}' with; take a built-in operator",
                                               operation_->name, operation_->type));
}

void Operands::fill(int pass, Rank rank, Count first, Count elements, std::byte* operands) const {
  const std::uint64_t seed = mixed(static_cast<std::uint64_t>(2 * rank + pass));
  if (elements == 0) return;                                              // the pointer may be null then
  std::memset(operands, 0, index(elements * operation_->element_bytes));  // clears the padding of pairs
  for (Count i = 0; i < elements; ++i)
    write_(mixed(seed + static_cast<std::uint64_t>(first + i)), problem_.ranks, operands + i * operation_->element_bytes);
}

void Operands::fill_input(int pass, std::byte* input) const {
  fill(pass, rank_, 0, input_bytes(problem_, rank_) / operation_->element_bytes, input);
}

template <class Use>
void Operands::for_each_expected(int pass, Use&& use) const {
  const Bytes size = operation_->element_bytes;
  std::vector<std::byte> result(index(elements_at_once * size)), operands(result.size());
  for (const ExpectedPiece& piece : expected_output(problem_, rank_))
    for (Bytes done = 0; done < piece.length; done += elements_at_once * size) {
      const Bytes length = std::min(elements_at_once * size, piece.length - done);
      const Count first = (piece.input_offset + done) / size, elements = length / size;
      fill(pass, piece.first, first, elements, result.data());
      for (Rank rank = piece.first + 1; rank <= piece.last; ++rank) {
        fill(pass, rank, first, elements, operands.data());
        operation_->combine(operands.data(), result.data(), elements, OperandOrder::target_first);
      }
      if (!use(piece, done, result.data(), length)) return;
    }
}

void Operands::spoil_output(int pass, std::byte* output) const {
  for_each_expected(pass, [&](const ExpectedPiece& piece, Bytes at, const std::byte* right, Bytes length) {
    std::transform(right, right + length, output + piece.offset + at, [](std::byte byte) { return ~byte; });
    return true;
  });
}

std::string Operands::compare_output(int pass, const std::byte* output) const {
  std::string wrong;
  for_each_expected(pass, [&](const ExpectedPiece& piece, Bytes at, const std::byte* right, Bytes length) {
    const std::byte* found = output + piece.offset + at;
    for (Bytes i = 0; i < length && wrong.empty(); i += operation_->element_bytes)
      if (!same_(found + i, right + i, operation_->element_bytes))
        wrong = fmt::format("rank {}: element {} of the output should combine elements {} of ranks {} to {}", rank_,
                            (piece.offset + at + i) / operation_->element_bytes,
                            (piece.input_offset + at + i) / operation_->element_bytes, piece.first, piece.last);
    return wrong.empty();
  });
  return wrong;
}

std::unique_ptr<ProbeData> probe_data(const Problem& problem, Rank rank, std::shared_ptr<const Operator> operation) {
  if (!is_reduction(problem.collective)) return std::make_unique<Labels>(problem, rank);
  if (!operation) throw Error(ErrorCode::misuse, fmt::format("{} needs an operator", name(problem.collective)));
  return std::make_unique<Operands>(problem, rank, std::move(operation));
}

}  // namespace quadrille
