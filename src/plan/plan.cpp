// SPDX-License-Identifier: BSD-3-Clause
// Making a plan: everybody reads the request, everybody checks that all ask for the same, then the transport takes over.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "execute/layout.hpp"
#include "execute/script.hpp"
#include "execute/staged.hpp"
#include "execute/starts.hpp"
#include "execute/transport.hpp"
#include "plan/placed.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

std::uint64_t fingerprint(std::span<const Count> numbers) {
  std::uint64_t hash = 0;
  for (const Count number : numbers) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

// Of a matrix of counts, alike for its dense and its sparse form, and whatever the order.
std::uint64_t fingerprint(const Problem& problem) {
  std::uint64_t sum = 0;
  const Traffic traffic(problem);
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : traffic.sent_by(from)) sum += fingerprint(std::array{from, share.peer, share.bytes});
  return sum;
}

// What a rank says of the request. All ranks together are to send what they are to receive.
struct Vote {
  std::uint64_t request = 0, counts = 0, sent = 0, received = 0;
  bool good = false;
};

Vote vote_of(const Problem& problem, Rank me, const std::string& request, bool own_counts) {
  Vote vote{.request = std::hash<std::string>{}(request), .good = true};
  if (problem.collective != Collective::alltoallv) return vote;
  if (!own_counts) vote.counts = fingerprint(problem);
  const Traffic traffic(problem);
  for (const Share& share : traffic.sent_by(me)) vote.sent += fingerprint(std::array{me, share.peer, share.bytes});
  for (const Share& share : traffic.received_by(me)) vote.received += fingerprint(std::array{share.peer, me, share.bytes});
  return vote;
}

// One sentence per request; equal sentences, equal plans.
std::string description(const Problem& problem, const PlanOptions& options, const std::string& algorithm) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {}", name(problem.collective), problem.ranks, problem.block_bytes, problem.root,
                  algorithm, static_cast<int>(options.policy), name(options.executor), options.longest_message, options.keep_step);
  if (is_reduction(problem.collective) && options.operation)
    text += fmt::format(" {} {} {} {} {}", options.operation->name, options.operation->type, problem.element_bytes,
                        problem.commutative, problem.reproducible);
  if (problem.collective != Collective::alltoallv && problem.counts)
    for (const Bytes count : *problem.counts) text += fmt::format(" {}", count);
  if (!problem.nodes.empty()) text += fmt::format(" on nodes {}", fingerprint(problem.nodes));
  return text;
}

// A reduction's problem says of its operator what algorithms need to know; here is the operator itself.
void check_operation(const Problem& problem, const Operator* operation) {
  if (!is_reduction(problem.collective)) return;
  if (!operation)
    throw Error(ErrorCode::misuse,
                fmt::format("{} needs an operator; give it as PlanOptions::operation", name(problem.collective)));
  if (operation->element_bytes != problem.element_bytes)
    throw Error(ErrorCode::misuse, fmt::format("the problem's elements have {} bytes and those of {} {}", problem.element_bytes,
                                               operation->name, operation->element_bytes));
  if (problem.commutative && !operation->commutative)
    throw Error(ErrorCode::misuse, fmt::format("the problem takes its operator to be commutative, and {} is not", operation->name));
}

// The transport that a group of this `own` one runs the plan by.
Transport& transport_for(Transport& own, Executor asked, const Candidate& candidate) {
  if (asked == Executor::messages || is_vendor(candidate)) return own;
  const Result<Transport*> sharing = own.over_shared_memory();
  if (asked == Executor::automatic) return sharing ? **sharing : own;
  if (!sharing) throw Error(ErrorCode::environment, fmt::format("these ranks do not share memory: {}", sharing.error()));
  if (asked == (*sharing)->executor()) return **sharing;
  if (asked == Executor::shared) throw Error(ErrorCode::environment, "these ranks do not all share memory; take executor hybrid");
  throw Error(ErrorCode::environment, "these ranks all share memory; take executor shared");
}

// A reduction combines whole elements, so each piece of memory holds whole ones, with the pieces that follow it without a gap.
// Pieces that reach past 2^63 are refused where they are bound.
void check_pieces(const Layout& layout, Bytes element_bytes) {
  Bytes end = 0, cut = 0;  // of the piece before: where it ends, and its bytes of an element that is not complete
  const auto check_complete = [&] {
    if (cut != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a piece of a layout ends after {} bytes of an element of {}", cut, element_bytes));
  };
  for (const LayoutPiece& piece : layout) {
    if (piece.length == 0) continue;
    if (piece.offset != end) check_complete();
    cut = (cut + piece.length % element_bytes) % element_bytes;
    if (__builtin_add_overflow(piece.offset, piece.length, &end)) return;
  }
  check_complete();
}

// `homes` are the nodes of the ranks; the problem may name others.
void check_can_keep_step(const Candidate& candidate, const PlanOptions& options, const std::vector<Count>& nodes,
                         const std::vector<Count>& homes, Executor executor) {
  if (is_vendor(candidate)) throw Error(ErrorCode::misuse, "vendor has no rounds of ours; leave keep_step out");
  if (options.policy != Policy::blocking)
    throw Error(ErrorCode::misuse, "ranks that keep step go round by round; take policy blocking");
  std::map<Count, std::size_t> first;  // rank of each node
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const std::size_t mate = first.emplace(nodes[rank], rank).first->second;
    if (mate == rank) continue;
    if (executor == Executor::messages)
      throw Error(ErrorCode::environment, "to keep step the ranks of a node must share memory; take executor hybrid or shared");
    if (executor == Executor::hybrid && homes[mate] != homes[rank])
      throw Error(ErrorCode::misuse, fmt::format("ranks {} and {} are to keep step as one node, and share no memory", mate, rank));
  }
}

// Collective: throws on all ranks if one has an error or they disagree.
void agree(Communicator& communicator, const Vote& mine, const std::optional<Error>& error) {
  std::vector<Vote> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(&mine, all.data(), sizeof mine);
  if (error) throw *error;
  std::uint64_t difference = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].good) throw Error(ErrorCode::misuse, fmt::format("rank {} could not make the plan", rank));
    if (all[rank].request != mine.request)
      throw Error(ErrorCode::misuse, fmt::format("rank {} asks for another plan than rank {}", rank, communicator.rank()));
    if (all[rank].counts != mine.counts)
      throw Error(ErrorCode::misuse,
                  fmt::format("rank {} has other counts than rank {}, and this algorithm needs all of them: gather them by "
                              "alltoallv_of_rows, or take one that goes by a rank's own",
                              rank, communicator.rank()));
    difference += all[rank].sent - all[rank].received;
  }
  if (difference != 0)
    throw Error(ErrorCode::misuse, "what some ranks are to send is not what others expect of them; compare their counts");
}

// What sentences call the plan.
std::string call(const Problem& problem, const std::string& algorithm) {
  const bool has_blocks = !is_irregular(problem.collective) && problem.collective != Collective::barrier;
  return fmt::format("{}/{}{}", name(problem.collective), algorithm,
                     has_blocks ? fmt::format(" of {} B a block", problem.block_bytes) : "");
}

// Null where the algorithm's parameters do not ask for headers.
StagedExecutable::Make staged(const Problem& problem, const Choice& choice, Rank me) {
  check_applies(problem, choice);
  if (!choice.algorithm->in_stages(problem, choice.parameters, me)) return nullptr;
  return [problem, choice, me] { return choice.algorithm->in_stages(problem, choice.parameters, me); };
}

}  // namespace

std::string_view name(Executor executor) {
  switch (executor) {
    case Executor::automatic: return "automatic";
    case Executor::messages: return "messages";
    case Executor::shared: return "shared";
    case Executor::hybrid: return "hybrid";
  }
  return "";
}

Plan plan(Communicator& communicator, const Problem& asked, const PlanOptions& options) {
  const Problem problem = placed(communicator, asked);
  const Rank me = communicator.rank();
  Plan made;
  Transport* transport = nullptr;
  std::shared_ptr<const Script> script;
  StagedExecutable::Make in_stages;  // of a rank that is told on the way what the others send
  BoundMemory memory;                // and where it has its data
  bool own_counts = false;           // is what it itself sends and receives all that this rank must know?
  std::optional<Error> error;
  try {
    check(problem);
    if (problem.ranks != communicator.size())
      throw Error(ErrorCode::misuse, fmt::format("the problem has {} ranks and the group {}", problem.ranks, communicator.size()));
    const auto* text = std::get_if<std::string>(&options.algorithm);
    const Candidate candidate = text ? parse_candidate(problem, *text) : std::get<Candidate>(options.algorithm);
    transport = &transport_for(communicator.transport(), options.executor, candidate);
    made.executor_ = transport->executor();
    check_operation(problem, options.operation.get());
    if (is_reduction(problem.collective)) {
      check_pieces(options.layouts.input, problem.element_bytes);
      check_pieces(options.layouts.output, problem.element_bytes);
    }
    if (options.buffers < 1 || options.buffers > 2)
      throw Error(ErrorCode::misuse, fmt::format("buffers is {}; it is 1 or 2", options.buffers));
    if (options.longest_message < 1 || options.longest_message > Bytes{1} << 30)
      throw Error(ErrorCode::misuse, fmt::format("longest_message is {}; it is 1 to 2^30 bytes", options.longest_message));
    if (options.keep_step) check_can_keep_step(candidate, options, problem.nodes, communicator.nodes(), made.executor_);
    const bool canonical = options.layouts.input.empty() && options.layouts.output.empty();
    if (is_vendor(candidate) && (!canonical || options.in_place))
      throw Error(ErrorCode::misuse, "vendor runs on canonical buffers; leave layouts and in_place out");
    const Layouts layouts = options.in_place && canonical ? in_place_layouts(problem, me) : options.layouts;
    made.algorithm_ = specification(candidate);
    if (const auto* choice = std::get_if<Choice>(&candidate)) {
      own_counts = choice->algorithm->needs_own_counts_only;
      if (choice->algorithm->in_stages) in_stages = staged(problem, *choice, me);
      if (in_stages && options.keep_step)
        throw Error(ErrorCode::misuse, "headers tell of the rounds on the way, so nobody can keep step; take counts=known");
      if (in_stages) {
        memory = bound_memory(problem, me, layouts, options.in_place);
        own_counts = true;
      } else {
        const Schedule schedule = make_schedule(problem, *choice);
        const Program program = bound(schedule.program(me), problem, layouts, options.in_place);
        made.algorithm_ = specification(schedule);
        script = std::make_shared<const Script>(make_script(
            program, problem.ranks,
            {.policy = options.policy,
             .buffers = options.buffers,
             .strided_messages = transport->moves_strided_messages(),
             .buffered_bytes = [&](Rank peer) { return transport->buffered_message_bytes(peer); },
             .fuses = transport->fuses_reductions(),
             .longest_message = options.longest_message,
             .operation = options.operation,
             .nodes = options.keep_step && made.executor_ != Executor::messages ? problem.nodes : std::vector<Count>{}}));
        made.scratch_bytes_ = script->scratch_bytes;
        made.staging_bytes_ = script->staging_bytes;
      }
    } else {
      own_counts = true;
      auto vendor = transport->vendor(problem, options.operation);
      if (!vendor) throw Error(ErrorCode::misuse, fmt::format("vendor does not apply: {}", vendor.error()));
      made.executable_ = *std::move(vendor);
    }
    made.input_extent_ = extent(layouts.input, input_bytes(problem, me));
    made.output_extent_ = extent(layouts.output, output_bytes(problem, me));
    made.in_place_ = options.in_place;
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::exception& caught) {  // memory: bad_alloc, length_error
    error = Error(ErrorCode::too_large, fmt::format("there is not enough memory for this plan ({})", caught.what()));
  }
  Vote vote;  // what is wrong may not be described
  if (!error) vote = vote_of(problem, me, description(problem, options, made.algorithm_), own_counts);
  agree(communicator, vote, error);

  std::unique_ptr<EnlistedExecutable> enlisted;
  if (const auto starts = communicator.transport().starts(made.executor_))
    enlisted = std::make_unique<EnlistedExecutable>(starts, call(problem, made.algorithm_));
  if (in_stages)
    made.executable_ =
        std::make_unique<StagedExecutable>(transport->mail(), std::move(in_stages), options.policy, std::move(memory));
  else if (script)
    made.executable_ = transport->prepare(script);
  if (enlisted) {
    enlisted->hold(std::move(made.executable_));
    made.executable_ = std::move(enlisted);
  }
  return made;
}

namespace {

void check_given(const void* buffer, const std::pair<Bytes, Bytes>& extent, const char* what) {
  constexpr Bytes lowest_address = 65536;  // of any process: layouts that begin there or above hold addresses, as with MPI_BOTTOM
  if (buffer || extent.first == extent.second || extent.first >= lowest_address) return;
  throw Error(ErrorCode::misuse, fmt::format("{} is a null pointer, and this rank's {} has {} bytes; give execute a buffer", what,
                                             what, extent.second - extent.first));
}

}  // namespace

void Plan::check_apart(const void* input, const void* output) const {
  if (in_place_) throw Error(ErrorCode::misuse, "this plan was made in place; run it by execute_in_place");
  const auto* from = static_cast<const std::byte*>(input);
  const auto* to = static_cast<const std::byte*>(output);
  const auto [input_first, input_last] = input_extent_;
  const auto [output_first, output_last] = output_extent_;
  check_given(input, input_extent_, "input");
  check_given(output, output_extent_, "output");
  if (input_last > input_first && output_last > output_first && std::less<>{}(from + input_first, to + output_last) &&
      std::less<>{}(to + output_first, from + input_last))
    throw Error(ErrorCode::misuse, "input and output overlap; give execute two separate buffers");
}

void Plan::execute(const void* input, void* output) {
  check_apart(input, output);
  executable_->execute(static_cast<const std::byte*>(input), static_cast<std::byte*>(output));
}

Phases Plan::execute_timed(const void* input, void* output) {
  check_apart(input, output);
  return executable_->execute_timed(static_cast<const std::byte*>(input), static_cast<std::byte*>(output));
}

void Plan::execute_in_place(void* buffer) {
  if (!in_place_) throw Error(ErrorCode::misuse, "this plan was not made in place; ask for PlanOptions::in_place");
  check_given(buffer, input_extent_, "input");
  check_given(buffer, output_extent_, "output");
  executable_->execute(static_cast<const std::byte*>(buffer), static_cast<std::byte*>(buffer));
}

}  // namespace quadrille
