// SPDX-License-Identifier: BSD-3-Clause
#include "plan/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "execute/agreement.hpp"
#include "foundation/hash.hpp"
#include "plan/gathered.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_listed = 64;  // longer lists of numbers are compared by fingerprint

std::uint64_t fingerprint(std::span<const Count> numbers) {
  std::uint64_t hash = 0;
  for (const Count number : numbers) hash = hash_with(hash, static_cast<std::uint64_t>(number));
  return hash;
}

// Fingerprint of one entry of a matrix of counts.
std::uint64_t fingerprint(Rank from, Rank to, Bytes bytes) { return fingerprint(std::array{from, to, bytes}); }

// Fingerprint of a matrix of counts; independent of dense or sparse form and of the order of entries. A matrix of shared blocks
// has a different fingerprint.
std::uint64_t fingerprint(const Problem& problem) {
  std::uint64_t sum = 0;
  const Traffic traffic(problem);
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : traffic.sent_by(from)) sum += fingerprint(from, share.peer, share.bytes);
  return traffic.shares_blocks() ? ~sum : sum;
}

// Removes the first word from the text and returns it. A zero ends the word.
std::string take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find('\0'));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return std::string(word);
}

// Collective: throws an error that names a count on which its sender and its receiver differ. Each receiver looks for the first
// sender that disagrees, so no rank needs memory for more than one row of the matrix.
[[noreturn]] void throw_mismatch(Communicator& communicator, const PlanRequest& mine) {
  struct Mismatch {
    Rank from;  // -1: none
    Bytes sent, expected;
  };
  const Count p = communicator.size();
  ByRank<Bytes> sent(p), expected(p), arriving(p);
  for (const Share& share : mine.sent) sent[share.peer] = share.bytes;
  for (const Share& share : mine.received) expected[share.peer] = share.bytes;
  Mismatch first{-1, 0, 0};
  for (Rank to = 0; to < p; ++to) {
    communicator.all_gather(&sent[to], arriving.data(), sizeof(Bytes));
    for (Rank from = 0; to == communicator.rank() && first.from < 0 && from < p; ++from)
      if (arriving[from] != expected[from]) first = {from, arriving[from], expected[from]};
  }
  const ByRank<Mismatch> all = gathered(communicator, first);
  Rank to = 0;
  while (all[to].from < 0) ++to;
  throw Error(ErrorCode::misuse, fmt::format("rank {} is to send {} B to rank {}, which expects {} B; compare their counts",
                                             all[to].from, all[to].sent, to, all[to].expected));
}

// The first data that ranks exchange: hashes of their requests, and the report about memory.
struct Vote {
  std::uint64_t fields, counts, sent, received;
  Chooser chooser;
  bool refuses_vendor;
  std::uint64_t knowledge;
  CountFacts facts;
  std::uint64_t verified;
  MemoryReport memory;
  Offer::Words offer;
};

// `sent` and `received` are sums of fingerprints. If every count matches, their totals over all ranks are equal.
Vote vote_of(const PlanRequest& request, Rank me) {
  Vote vote{request.hash,
            request.counts,
            0,
            0,
            request.chooser,
            request.refuses_vendor,
            request.knowledge,
            request.facts,
            request.verified,
            request.memory,
            request.offer};
  for (const Share& share : request.sent) vote.sent += fingerprint(me, share.peer, share.bytes);
  for (const Share& share : request.received) vote.received += fingerprint(share.peer, me, share.bytes);
  return vote;
}

// Compares how the ranks chose the algorithm. If some ranks named it and others let the plan choose, the agreement stays settled:
// the comparison of the requests, which follows, shows this difference.
void compare_choosing(const ByRank<Vote>& votes, Agreement& agreement) {
  bool is_named = false, all_undecided = true, some_undecided = false;
  for (const Vote& vote : votes) {
    is_named = is_named || vote.chooser == Chooser::caller;
    all_undecided = all_undecided && vote.chooser == Chooser::undecided;
    some_undecided = some_undecided || vote.chooser == Chooser::undecided;
    if (vote.knowledge == no_knowledge || vote.knowledge != votes[0].knowledge) agreement.has_same_knowledge = false;
    agreement.vendor_is_refused = agreement.vendor_is_refused || vote.refuses_vendor;
  }
  if (!is_named && !all_undecided) agreement.is_settled = !some_undecided && agreement.has_same_knowledge;
  // If any rank named the algorithm, the difference between the requests is reported. If the agreement is not settled, some ranks
  // have not chosen. In both cases a refusal of the vendor's collective is ignored.
  if (is_named || !agreement.is_settled) agreement.vendor_is_refused = false;
}

// Checks the operator against the facts that the problem states about it.
void check_operation(const Problem& problem, const Operator* operation) {
  if (!operation)
    throw Error(ErrorCode::misuse, fmt::format("{} needs an operator; give it in the options", name(problem.collective)));
  if (operation->element_bytes != problem.element_bytes)
    throw Error(ErrorCode::misuse, fmt::format("the problem's elements have {} bytes, but those of {} have {}",
                                               problem.element_bytes, operation->name, operation->element_bytes));
  if (problem.commutative && !operation->commutative)
    throw Error(ErrorCode::misuse,
                fmt::format("the problem says that its operator is commutative, but {} is not", operation->name));
}

bool is_canonical(const Layouts& layouts) { return layouts.input.empty() && layouts.output.empty(); }

// Throws if an element of a reduction lies in several places, because a reduction combines whole elements. Two pieces may share
// an element only if the pieces are adjacent in memory. Pieces beyond 2^63 bytes are refused later, when the layout is bound.
void check_pieces(const Layout& layout, Bytes element_bytes) {
  Bytes end = 0, cut = 0;  // end of the previous piece, and its bytes of an incomplete element
  const auto check_complete = [&] {
    if (cut != 0)
      throw Error(ErrorCode::misuse,
                  fmt::format("a piece of a layout ends after {} bytes of an element of {}", cut, element_bytes));
  };
  for (const LayoutPiece& piece : layout) {
    if (piece.length == 0) continue;
    if (piece.offset != end) check_complete();
    cut = (cut + piece.length % element_bytes) % element_bytes;
    const auto sum = checked_sum(piece.offset, piece.length);
    if (!sum) return;
    end = *sum;
  }
  check_complete();
}

}  // namespace

std::string listed(const std::vector<Count>& numbers) {
  if (numbers.empty()) return "none";
  if (numbers.size() <= most_listed) return fmt::format("{}", fmt::join(numbers, ","));
  return fmt::format("{} numbers of fingerprint {:x}", numbers.size(), fingerprint(numbers));
}

// The words are those of the verdict on a watched program (mpi_face/watch/mismatch.cpp).
void throw_difference(Communicator& communicator, const std::string& fields, Rank other, std::string_view rule) {
  static const std::map<std::string, std::string> nouns{{"root", "roots"},           {"operator", "operators"},
                                                        {"type", "element types"},   {"block size", "sizes"},
                                                        {"algorithm", "algorithms"}, {"counts", "counts"}};
  const std::string first_text = told_by(communicator, 0, fields), other_text = told_by(communicator, other, fields);
  std::string_view first_words = first_text, other_words = other_text;
  std::string collective;
  while (true) {
    const std::string field = take_word(first_words), asked = take_word(first_words);
    take_word(other_words);
    const std::string asked_there = take_word(other_words);
    if (field == "collective") collective = asked;
    if (asked == asked_there && !first_words.empty()) continue;
    if (field == "collective")
      throw Error(ErrorCode::misuse, fmt::format("the order of collectives differs: rank {} is in {}, rank 0 in {}; {}", other,
                                                 asked_there, asked, rule));
    const auto noun = nouns.find(field);
    const std::string what = field == "root" ? "root " : "";
    throw Error(ErrorCode::misuse, fmt::format("the {} of {} differ: rank {} gives {}{}, rank 0 {}{}; {}",
                                               noun == nouns.end() ? fmt::format("values of '{}'", field) : noun->second,
                                               collective, other, what, asked_there, what, asked, rule));
  }
}

CountFacts count_facts(const Problem& problem, Rank me) {
  CountFacts facts{.all = fingerprint(problem)};
  const Traffic traffic(problem);
  facts.sent = traffic.sent_bytes(me), facts.received = traffic.received_bytes(me);
  for (const Share& share : traffic.sent_by(me)) {
    ++facts.blocks;
    facts.longest = std::max(facts.longest, share.bytes);
  }
  return facts;
}

PlanRequest request_of(const Problem& problem, const PlanOptions& options, Rank me, std::string_view algorithm, bool own_counts) {
  const bool has_pairs = has_pair_counts(problem.collective);
  PlanRequest request;
  const auto add = [&](const char* field, const auto& value) {
    request.fields.append(fmt::format("{}{}{}{}", field, '\0', value, '\0'));
  };
  add("collective", name(problem.collective));
  add("block size", fmt::format("{} B", problem.block_bytes));
  add("root", problem.root);
  if (is_reduction(problem.collective)) {
    add("operator", options.operation->name);
    add("type", options.operation->type);
    add("element size", fmt::format("{} B", problem.element_bytes));
    add("commutative", problem.commutative);
    add("reproducible", problem.reproducible);
  }
  if (problem.counts && !has_pairs) add("counts", listed(*problem.counts));
  add("nodes", listed(problem.nodes));
  add("grid", listed(problem.grid));
  add("algorithm", algorithm);
  add("policy", name(options.policy));
  add("executor", name(options.executor));
  add("longest_message", options.longest_message);
  add("keep_step", options.keep_step);
  if (algorithm == automatic) add("effort", name(options.effort));
  request.hash = words_hash(request.fields);
  if (!has_pairs) return request;
  if (!own_counts) request.counts = fingerprint(problem);
  const Traffic traffic(problem);
  request.sent = traffic.sent_by(me);
  request.received = traffic.received_by(me);
  return request;
}

Agreement agree(Communicator& communicator, const std::function<PlanRequest()>& make) {
  PlanRequest mine;
  const auto votes = gathered_or_thrown(communicator, [&] {
    mine = make();
    return vote_of(mine, communicator.rank());
  });
  std::uint64_t difference = 0;
  Agreement agreement;
  compare_choosing(votes, agreement);
  if (!agreement.is_settled || agreement.vendor_is_refused) return agreement;
  agreement.memory = mine.memory;
  for (Rank rank = 0; rank < communicator.size(); ++rank) {
    const Vote& vote = votes[rank];
    if (vote.fields != votes[0].fields) throw_difference(communicator, mine.fields, rank, "all ranks must ask for the same plan");
    if (vote.counts != votes[0].counts)
      throw Error(ErrorCode::misuse,
                  fmt::format("rank {} has other counts than rank 0, but this algorithm needs the counts of all ranks on each: "
                              "gather them by alltoallv_of_rows, or use an algorithm that needs only a rank's own counts",
                              rank));
    if (vote.verified == 0 || vote.verified != votes[0].verified) agreement.is_verified = false;
    difference += vote.sent - vote.received;
    agreement.memory.add(vote.memory);
    agreement.offers.push_back(vote.offer);
    agreement.facts.push_back(vote.facts);
  }
  if (difference != 0) throw_mismatch(communicator, mine);
  return agreement;
}

void check_options(const Problem& problem, const PlanOptions& options, bool vendor) {
  if (is_reduction(problem.collective)) {
    check_operation(problem, options.operation.get());
    check_pieces(options.layouts.input, problem.element_bytes);
    check_pieces(options.layouts.output, problem.element_bytes);
  }
  if (options.buffers < 1 || options.buffers > 2)
    throw Error(ErrorCode::misuse, fmt::format("buffers is {}; it is 1 or 2", options.buffers));
  if (options.longest_message < 1 || options.longest_message > Bytes{1} << 30)
    throw Error(ErrorCode::misuse, fmt::format("longest_message is {}; it is 1 to 2^30 bytes", options.longest_message));
  const bool in_place = options.in_place && problem.collective != Collective::broadcast;  // MPI_Bcast has only one buffer
  if (vendor && (!is_canonical(options.layouts) || in_place))
    throw Error(ErrorCode::misuse, "vendor runs on canonical buffers; leave layouts and in_place out");
}

}  // namespace quadrille
