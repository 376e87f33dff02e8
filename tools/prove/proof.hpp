// SPDX-License-Identifier: BSD-3-Clause
// A proof as an SMT-LIB document. Each step states that its goal follows from what is given, for all values of its numbers: the
// document asks the solver for values for which the goal is false, and the answer must be "unsat". docs/proofs.md says how the
// steps make an induction.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "prove/terms.hpp"

namespace quadrille::command {

template <class T>
constexpr std::string_view sort = "Int";
template <>
inline constexpr std::string_view sort<BitsTerm> = "(_ BitVec 64)";
template <>
inline constexpr std::string_view sort<Condition> = "Bool";

// A function that a document defines.
template <class Result, class N>
struct Defined {
  std::string name;
  template <class... Arguments>
  Result operator()(const Arguments&... arguments) const {
    return Result(applied(name, N(arguments)...));
  }
};

// Steps about numbers of type N, and the definitions that they use.
class ProofSection {
 public:
  explicit ProofSection(std::string name) : name_(std::move(name)) {}

  // Defines a function. `parameters`: the names of its arguments, separated by spaces.
  template <class N, class Result>
  Defined<Result, N> define(const std::string& function, std::string_view parameters, const Result& body) {
    text_ += fmt::format("(define-fun {} ({}) {} {})\n", function, declared(parameters, "({} {})", " ", sort<N>), sort<Result>,
                         body.text);
    return {function};
  }

  template <class N = IntTerm>
  void step(std::string_view name, std::string_view numbers, const std::vector<Condition>& given, const Condition& goal) {
    text_ += fmt::format("(echo \"{}: {}\")\n(push 1)\n{}", name_, name, declared(numbers, "(declare-const {} {})\n", "", sort<N>));
    for (const Condition& formula : given) text_ += fmt::format("(assert {})\n", formula.text);
    text_ += fmt::format("(assert (not {}))\n(check-sat)\n(pop 1)\n", goal.text);
  }

  std::string document() const { return fmt::format("(push 1)\n{}(pop 1)\n", text_); }

 private:
  static std::string declared(std::string_view names, const char* form, const char* separator, std::string_view sort_name);

  std::string name_, text_;
};

struct ProvedFamily {
  std::string_view id;         // "alltoall/bruck"
  std::string_view statement;  // what is proved; several lines
  std::vector<ProofSection> (*sections)();
};

const std::vector<ProvedFamily>& proved_families();
std::string proof_document(const ProvedFamily& family);

enum class Answer : std::uint8_t { unsat, sat, unknown };
struct ProvedStep {
  std::string name;
  Answer answer = Answer::unknown;
};

// Lets the solver read the document, which is in the file, and returns its answers, one for each step. Throws Error{environment} if
// it cannot be run, leaves out a step or prints anything else.
std::vector<ProvedStep> answers_of(const std::string& solver, const std::string& file, std::string_view document);

}  // namespace quadrille::command
