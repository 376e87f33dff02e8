// SPDX-License-Identifier: BSD-3-Clause
// Terms and formulas of SMT-LIB, written as C++ expressions. A description of an algorithm (descriptions.hpp) is a template over
// the type of its numbers: with Count and bool it computes, with these types it prints the same expression.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct Condition {
  std::string text;
  Condition(std::string written) : text(std::move(written)) {}
  Condition(bool value) : text(value ? "true" : "false") {}
};

// A whole number of any size.
struct IntTerm {
  std::string text;
  explicit IntTerm(std::string written) : text(std::move(written)) {}
  IntTerm(Count value) : text(value < 0 ? fmt::format("(- {})", -value) : fmt::format("{}", value)) {}
};

// A number of 64 bits, as Count has. Sums wrap around; comparisons are those of numbers that are not negative.
struct BitsTerm {
  std::string text;
  explicit BitsTerm(std::string written) : text(std::move(written)) {}
  BitsTerm(Count value) : text(fmt::format("#x{:016x}", static_cast<std::uint64_t>(value))) {}
};

template <class... Parts>
std::string applied(std::string_view function, const Parts&... parts) {
  return fmt::format("({} {})", function, fmt::join(std::vector<std::string>{parts.text...}, " "));
}

inline IntTerm operator+(const IntTerm& a, const IntTerm& b) { return IntTerm(applied("+", a, b)); }
inline IntTerm operator-(const IntTerm& a, const IntTerm& b) { return IntTerm(applied("-", a, b)); }
inline IntTerm operator*(const IntTerm& a, const IntTerm& b) { return IntTerm(applied("*", a, b)); }
inline Condition operator<(const IntTerm& a, const IntTerm& b) { return applied("<", a, b); }
inline Condition operator<=(const IntTerm& a, const IntTerm& b) { return applied("<=", a, b); }
inline Condition operator==(const IntTerm& a, const IntTerm& b) { return applied("=", a, b); }
inline Condition operator!=(const IntTerm& a, const IntTerm& b) { return applied("distinct", a, b); }

inline BitsTerm operator+(const BitsTerm& a, const BitsTerm& b) { return BitsTerm(applied("bvadd", a, b)); }
inline BitsTerm operator-(const BitsTerm& a, const BitsTerm& b) { return BitsTerm(applied("bvsub", a, b)); }
inline BitsTerm operator^(const BitsTerm& a, const BitsTerm& b) { return BitsTerm(applied("bvxor", a, b)); }
inline BitsTerm operator&(const BitsTerm& a, const BitsTerm& b) { return BitsTerm(applied("bvand", a, b)); }
inline BitsTerm operator-(const BitsTerm& a) { return BitsTerm(applied("bvneg", a)); }
inline Condition operator<(const BitsTerm& a, const BitsTerm& b) { return applied("bvult", a, b); }
inline Condition operator<=(const BitsTerm& a, const BitsTerm& b) { return applied("bvule", a, b); }
inline Condition operator==(const BitsTerm& a, const BitsTerm& b) { return applied("=", a, b); }
inline Condition operator!=(const BitsTerm& a, const BitsTerm& b) { return applied("distinct", a, b); }

inline Condition operator&&(const Condition& a, const Condition& b) { return applied("and", a, b); }
inline Condition operator||(const Condition& a, const Condition& b) { return applied("or", a, b); }
inline Condition operator!(const Condition& a) { return applied("not", a); }
inline Condition implies(const Condition& a, const Condition& b) { return applied("=>", a, b); }
inline Condition same(const Condition& a, const Condition& b) { return applied("=", a, b); }
inline Condition all_of(const std::vector<Condition>& parts) {
  Condition all = true;
  for (const Condition& part : parts) all = all.text == "true" ? part : all && part;
  return all;
}

inline IntTerm select(const Condition& condition, const IntTerm& yes, const IntTerm& no) {
  return IntTerm(applied("ite", condition, yes, no));
}
inline Count select(bool condition, Count yes, Count no) { return condition ? yes : no; }

}  // namespace quadrille::command
