// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/scan-two-phase: two-phase with elements dealt out one by one as they are scanned (Bader's form of A2).
// Source  [liu2002], section 3.1.2, which describes the algorithm of its reference [2].
// Needs   a limited number of elements at a rank, because each of them becomes a separate piece of memory.
// Idea    The t-th element that i has for j goes to rank i + j + t (mod p). If the data is in arbitrary order, one scan
//         fills the messages without sorting. If the data is sorted, as in alltoallv, the messages are as long as those
//         of two-phase, but consist of shorter pieces.
// Cost    C1 <= 2(p - 1) rounds. C2 is at most 2L(p-1)/p plus rounding to grains, where L is the most that a rank sends
//         or receives; rounding dominates if messages have fewer grains than there are ranks. Each element is a piece
//         of memory, whereas two-phase has one piece for each pair of ranks.
// Prefer  never; a baseline: for sorted data, as in alltoallv, two-phase sends messages of the same size, each in p pieces.
#include <fmt/format.h>

#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

struct Scan {
  Count p = 1;
  Bytes element_bytes = 1;  // the last element of a pair may be shorter

  // Returns the elements that `taker` takes, in their order, from the data that `source` has for `target`. This data lies at
  // `base` in a buffer.
  Regions share(Rank source, Rank target, Rank taker, Buffer buffer, Bytes base, Bytes bytes) const {
    if (p == 1) return {{buffer, base, bytes, {}}};
    const Count elements = ceil_divide(bytes, element_bytes), first = modulo(taker - source - target, p);
    if (first >= elements) return {};
    const Count taken = (elements - 1 - first) / p + 1;
    const Bytes last_offset = (elements - 1) * element_bytes;
    const bool takes_last = (elements - 1 - first) % p == 0;
    const Count whole = takes_last ? taken - 1 : taken;
    Regions regions;
    if (whole > 0) regions.push_back({buffer, base + first * element_bytes, element_bytes, {}});
    if (whole > 1) regions.back().levels[0] = {whole, p * element_bytes};
    if (takes_last) append(regions, {buffer, base + last_offset, bytes - last_offset, {}});
    return regions;
  }
};

struct Scanned : Analysis {
  explicit Scanned(const Problem& problem) : pairs(problem) {}
  PairsByTarget pairs;
  std::optional<CountsAgreement> agreement;
};

std::shared_ptr<const Analysis> analyse_scan_two_phase(const Problem& problem, const Parameters& parameters) {
  auto scanned = std::make_shared<Scanned>(problem);
  if (word(parameters, "counts") == "gathered") scanned->agreement.emplace(problem);
  return scanned;
}

void add(Regions& regions, const Regions& more) {
  for (const Region& region : more) append(regions, region);
}

// One rank's program. The rank takes elements of every pair (source, target) and sends them on to their targets.
class TakersProgram {
 public:
  TakersProgram(const Problem& problem, const Scan& scan, const Scanned& all, Rank me)
      : scan_(scan),
        all_(all),
        me_(me),
        row_(Traffic(problem).sent_by(me)),
        column_(Traffic(problem).received_by(me)),
        program_(me) {
    program_.expect(4, scan.p);
    if (all.agreement) all.agreement->add_to(program_, me);
  }

  Program made() && {
    if (scan_.p > 1) spread();
    collect();
    return std::move(program_).finish();
  }

 private:
  Bytes taken(const Pair& pair) const { return bytes(scan_.share(pair.source, pair.target, me_, Buffer::input, 0, pair.bytes)); }

  void spread() {
    ByRank<Bytes> from(scan_.p, 0);
    for (const Pair& pair : all_.pairs.all()) from[pair.source] += taken(pair);
    from[me_] = 0;  // stays in the input
    arrived_.assign(from.size(), 0);
    program_.stage("spread");
    Bytes scratch = 0;
    for (Count distance = 1; distance < scan_.p; ++distance) {
      const Rank to = (me_ + distance) % scan_.p, source = (me_ + scan_.p - distance) % scan_.p;
      Regions read;
      for (const Share& share : row_) add(read, scan_.share(me_, share.peer, to, Buffer::input, share.offset, share.bytes));
      const Bytes coming = from[source];
      arrived_[index(source)] = scratch;
      program_.begin_round();
      program_.send(to, std::move(read));
      program_.receive(source, {{Buffer::scratch, scratch, coming, {}}});
      add_bytes(scratch, coming);
    }
    program_.scratch(scratch);
  }

  // Returns the data for a target that this rank has taken. Call it once for each target, in ascending order, because the data of
  // each source lies in scratch memory in the order of targets and `arrived_` advances with each call.
  Regions held_for(Rank target) {
    Regions held;
    for (const Pair& pair : all_.pairs.of(target)) {
      if (pair.source == me_) {
        add(held, scan_.share(me_, target, me_, Buffer::input, pair.input_offset, pair.bytes));
        continue;
      }
      Bytes& offset = arrived_[index(pair.source)];
      append(held, {Buffer::scratch, offset, taken(pair), {}});
      offset += taken(pair);
    }
    return held;
  }

  Regions written_from(Rank taker) const {
    Regions regions;
    for (const Share& share : column_) add(regions, scan_.share(share.peer, me_, taker, Buffer::output, share.offset, share.bytes));
    return regions;
  }

  void collect() {
    std::vector<Regions> held;
    for (Rank target = 0; target < scan_.p; ++target) held.push_back(held_for(target));
    program_.stage("collect");
    program_.begin_round();
    program_.copy(std::move(held[index(me_)]), written_from(me_));
    for (Count distance = 1; distance < scan_.p; ++distance) {
      const Rank to = (me_ + distance) % scan_.p, taker = (me_ + scan_.p - distance) % scan_.p;
      if (distance > 1) program_.begin_round();
      program_.send(to, std::move(held[index(to)]));
      program_.receive(taker, written_from(taker));
    }
  }

  const Scan scan_;
  const Scanned& all_;
  const Rank me_;
  const std::vector<Share> row_, column_;
  ProgramBuilder program_;
  std::vector<Bytes> arrived_;  // by source: offset in scratch memory of its data for the next target
};

Program generate_scan_two_phase(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return TakersProgram(problem, {problem.ranks, number(parameters, "grain")}, static_cast<const Scanned&>(*analysis), me).made();
}

Result<> elements_fit(const Problem& problem, const Parameters& parameters) {
  const Bytes grain = number(parameters, "grain");
  const Count elements = ceil_divide(Traffic(problem).heaviest(), grain);
  if (elements <= most_operations_of_a_program) return {};
  const bool has_larger = grain < grain_parameter().most(problem);
  return cannot(fmt::format("a rank has {} elements of {} bytes, each of which is a separate piece of memory; the limit is {}{}",
                            elements, grain, most_operations_of_a_program, has_larger ? "; use a larger grain" : ""));
}

Parameter element_size() {
  Parameter grain = grain_parameter();
  grain.summary = "bytes of an element; elements are not cut";
  return grain;
}

Parameter scan_two_phase_counts_of_all() {
  Parameter counts = counts_parameter();
  counts.summary = "how ranks know what others send: gathered in each run, or known from an earlier run with the same counts";
  counts.choices = {"gathered", "known"};
  counts.worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> { return {"known"}; };
  return counts;
}

const std::string needs = fmt::format("at most {} elements at a rank", most_operations_of_a_program);

}  // namespace

extern const Algorithm alltoallv_scan_two_phase{
    .collective = Collective::alltoallv,
    .id = "scan-two-phase",
    .summary = "two-phase, but elements are dealt out one by one as they are scanned: the same messages, in shorter pieces",
    .picture =
        "The messages are as long as those of two-phase, but each element is dealt out on its own, like a card. The view of the "
        "memory shows the many short pieces. This suits data that is not sorted by target; here, where it is, the pieces only "
        "cost time.",
    .needs = needs,
    .source = "liu2002, section 3.1.2",
    .parameters = {element_size(), scan_two_phase_counts_of_all()},
    .generate = generate_scan_two_phase,
    .applies = elements_fit,
    .analyse = analyse_scan_two_phase,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
