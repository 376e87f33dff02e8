// SPDX-License-Identifier: BSD-3-Clause
#include "c_interface/planned.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "c_interface/guarded.hpp"
#include "c_interface/handles.hpp"
#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/combine.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/irregular_call.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::c_interface {
namespace {

// Returns the value whose name is `word`, or `otherwise` if there is no word.
template <class Value>
Value value_named(std::string_view option, const char* word, const std::vector<Value>& values, Value otherwise) {
  if (!word) return otherwise;
  std::vector<std::string_view> names;
  for (const Value value : values) {
    names.push_back(name(value));
    if (names.back() == word) return value;
  }
  throw Error(ErrorCode::misuse, fmt::format("there is no {} '{}'; choose {}", option, word, alternatives(names)));
}

std::vector<Executor> executors() {
  std::vector<Executor> all{Executor::automatic};
  for (const ExecutorRow& row : all_executors()) all.push_back(row.executor);
  return all;
}

Layout layout_of(const quadrille_layout& given, std::string_view field) {
  if (given.count < 0)
    throw Error(ErrorCode::misuse, fmt::format("the layout of the {} has {} pieces; it has 0 or more", field, given.count));
  if (given.count > 0 && !given.pieces)
    throw Error(ErrorCode::misuse,
                fmt::format("the layout of the {} has {} pieces at NULL; give their address", field, given.count));
  Layout layout;
  for (const quadrille_piece& piece : std::span(given.pieces, static_cast<std::size_t>(given.count)))
    layout.push_back({.offset = piece.offset, .length = piece.length});
  return layout;
}

PlanOptions options_of(const quadrille_plan_options* given) {
  PlanOptions options;
  if (!given) return options;
  if (given->algorithm) options.algorithm = std::string(given->algorithm);
  options.effort =
      value_named("effort", given->effort, std::vector{Effort::estimate, Effort::measure, Effort::exhaustive, Effort::wisdom_only},
                  options.effort);
  options.policy =
      value_named("policy", given->policy, std::vector{Policy::blocking, Policy::nonblocking, Policy::dataflow}, options.policy);
  options.executor = value_named("executor", given->executor, executors(), options.executor);
  if (given->buffers != 0) options.buffers = given->buffers;
  options.in_place = given->in_place != 0;
  options.layouts = {layout_of(given->input, "input"), layout_of(given->output, "output")};
  return options;
}

// Throws Error{misuse} if the value of an argument is less than `least`. `rule` says so.
void check_least(std::string_view argument, Count value, Count least, std::string_view rule) {
  if (value < least) throw Error(ErrorCode::misuse, fmt::format("'{}' is {}; {}", argument, value, rule));
}

BlockList blocks_of(const Lists& lists, std::string_view argument, bool is_needed, Count ranks) {
  if (!lists.counts && is_needed)
    throw Error(ErrorCode::misuse, fmt::format("'{}' is NULL; give a count for each of the {}", argument, counted(ranks, "rank")));
  const auto size = static_cast<std::size_t>(ranks);
  if (!lists.counts) return {};
  const std::span counts(lists.counts, size);
  return lists.displacements ? BlockList(counts, std::span(lists.displacements, size)) : BlockList(counts);
}

// The plan of a rank whose arguments have been read.
using MakePlan = std::function<Plan()>;

MakePlan irregular_plan(Communicator& ranks, const Asked& asked, const PlanOptions& options) {
  const bool has_lists = !is_rooted(asked.collective) || ranks.rank() == asked.root;
  const bool sends = asked.collective == Collective::scatterv || asked.collective == Collective::reduce_scatterv ||
                     (asked.collective == Collective::alltoallv && !options.in_place);
  const bool receives = asked.collective == Collective::gatherv || asked.collective == Collective::allgatherv ||
                        asked.collective == Collective::alltoallv;
  IrregularCall call{
      .arguments = {.collective = asked.collective,
                    .in_place = options.in_place,
                    .input_elements = asked.count,
                    .output_elements = asked.count,
                    .element_bytes = asked.element_bytes,
                    .root = asked.root},
      .send = blocks_of(asked.send, is_reduction(asked.collective) ? "counts" : "send_counts", sends && has_lists, ranks.size()),
      .receive = blocks_of(asked.receive, "receive_counts", receives && has_lists, ranks.size()),
      .has_buffers = false};
  if (options.operation) call.arguments.element_bytes = options.operation->element_bytes;
  return [&ranks, call, options]() mutable {
    if (!options.operation) return plan_irregular(ranks, call, options);
    const CallOperator operation = OperatorFor<std::byte, std::shared_ptr<const Operator>>::of(options.operation);
    call.arguments.operation = &operation;
    return plan_irregular(ranks, call, options);
  };
}

MakePlan regular_plan(Communicator& ranks, const Asked& asked, const PlanOptions& options) {
  Problem problem{.collective = asked.collective, .ranks = ranks.size(), .root = asked.root};
  if (options.operation) {
    problem.element_bytes = options.operation->element_bytes;
    problem.commutative = options.operation->commutative;
  }
  // An overflow becomes the largest size, which the plan refuses.
  problem.block_bytes = times_at_most(asked.count, options.operation ? problem.element_bytes : asked.element_bytes,
                                      std::numeric_limits<Bytes>::max());
  return [&ranks, problem, options] { return plan(ranks, problem, options); };
}

// Reads the arguments of this rank. Local.
MakePlan read(Communicator& ranks, const Asked& asked, const quadrille_plan_options* given) {
  PlanOptions options = options_of(given);
  if (asked.collective == Collective::broadcast) options.in_place = true;
  if (is_reduction(asked.collective)) options.operation = object_of(asked.operation);
  check_least("element_bytes", asked.element_bytes, 1, "an element has 1 byte or more");
  check_least("count", asked.count, 0, "it is 0 or more");
  return (is_irregular(asked.collective) ? irregular_plan : regular_plan)(ranks, asked, options);
}

}  // namespace

int planned(quadrille_group group, const Asked& asked, const quadrille_plan_options* given, quadrille_plan* address) {
  return guarded([&] {
    make_handle(address, "plan", [&] {
      const std::shared_ptr<Communicator> ranks = object_of(group);
      const MakePlan made = made_or_thrown(*ranks, [&] { return read(*ranks, asked, given); });
      return std::make_shared<Plan>(made());
    });
  });
}

}  // namespace quadrille::c_interface
