// SPDX-License-Identifier: BSD-3-Clause
// A schedule says what every rank does, round by round. No other description of an algorithm exists: the verifier, the
// cost models, the drawings, the file formats and the executors all use this value.
//
// A *program* is one rank's part of a schedule. Rounds and stages are numbered globally, and a program lists only the
// rounds in which its rank does something. Its size therefore grows with the work of that rank and not with the
// number of ranks. A *schedule* makes the programs on demand.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "quadrille/problem.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

enum class Buffer : std::uint8_t {
  input,    // the caller's; never written
  output,   // the caller's
  scratch,  // temporary memory that the schedule asks for (Program::scratch_bytes)
  staging,  // packing memory of the executor; never used in a schedule
};

std::string_view name(Buffer buffer);

// One level of a strided region: `count` copies, `stride` bytes apart. The stride may be negative.
struct Level {
  Count count = 1;
  Bytes stride = 0;
  bool operator==(const Level&) const = default;
};

// `length` bytes at `offset`, repeated by up to three nested levels; levels[0] is the innermost and levels[2] the
// outermost loop. The bytes are ordered as these loops visit them. With all counts 1, the region is the [buffer,
// offset, length] of the JSON form.
struct Region {
  Buffer buffer = Buffer::input;
  Bytes offset = 0;
  Bytes length = 0;
  std::array<Level, 3> levels{};
  bool operator==(const Region&) const = default;
};

// Returns "output[8:8 *4/16]": buffer[offset:length], then count/stride of each level that is used, innermost first.
std::string to_string(const Region& region);

using Regions = std::vector<Region>;  // the bytes of all regions, one region after the other

// Returns the number of bytes of a region or list. Throws Error{too_large} on overflow, and Error{misuse} for a
// negative length or count.
Bytes bytes(const Region& region);
Bytes bytes(const Regions& regions);

// Returns the smallest range [first, last) that contains every byte of the region. Throws Error{too_large} on
// overflow.
std::pair<Bytes, Bytes> hull(const Region& region);

// Calls visit(offset, length) for each contiguous run, in order. Adjacent runs are not merged.
template <class Visit>
void for_each_run(const Region& region, Visit&& visit) {
  const auto& [inner, middle, outer] = region.levels;
  if (region.length == 0 || inner.count == 0 || middle.count == 0) return;  // the outer count does not matter: there are no bytes
  for (Count c = 0; c < outer.count; ++c)
    for (Count b = 0; b < middle.count; ++b)
      for (Count a = 0; a < inner.count; ++a)
        visit(region.offset + a * inner.stride + b * middle.stride + c * outer.stride, region.length);
}

// The link by which a message leaves its rank: a dimension of the topology and a direction, +1 or -1.
struct Port {
  int dimension = 0;
  int direction = 1;
  auto operator<=>(const Port&) const = default;
};

enum class LocalKind : std::uint8_t { copy, reduce };
enum class OperandOrder : std::uint8_t {
  source_first,  // target = source o target, where o is the operator
  target_first,  // target = target o source
};

// A copy or a reduction within one rank. Source and target have the same length and do not overlap.
struct Local {
  LocalKind kind = LocalKind::copy;
  OperandOrder order = OperandOrder::source_first;  // reduce only
  Regions source;
  Regions target;
  bool operator==(const Local&) const = default;
};

// One end of a message: a send reads `regions`, a receive writes them. The send from i to j in round t (on a port)
// matches the receive at j from i in the same round (on the same port).
struct Message {
  Rank peer = 0;
  Regions regions;
  std::optional<Port> port;
  bool operator==(const Message&) const = default;
};

// One end of a control message: a header or byte counts, sent in the same round as the payload but as a separate
// message.
struct Control {
  Rank peer = 0;
  Bytes bytes = 0;
  bool operator==(const Control&) const = default;
};

// One rank's work in one round: first the local operations, in order, then all messages at once. Every send reads its
// memory after the local operations and before any receive of the round writes.
struct Round {
  Count number = 0;  // global
  std::vector<Local> locals;
  std::vector<Message> sends;
  std::vector<Message> receives;
  std::vector<Control> control_sends;
  std::vector<Control> control_receives;
  bool operator==(const Round&) const = default;
};

// Consecutive rounds that serve one purpose, with a name for people. All programs of a schedule list the same stages.
struct Stage {
  std::string name;
  Count first_round = 0;
  Count round_count = 0;
  bool operator==(const Stage&) const = default;
};

struct Program {
  Rank rank = 0;
  Bytes scratch_bytes = 0;
  std::vector<Stage> stages;
  std::vector<Round> rounds;  // in ascending order of number; only rounds in which this rank does something
  bool operator==(const Program&) const = default;
};

// The parameters of an algorithm and their values, including those that have their default value.
using ParameterValue = std::variant<Count, std::string>;
using Parameters = std::map<std::string, ParameterValue>;

std::string to_string(const ParameterValue& value);

// A group (as in algebra) of translations of the rank numbers. A translation also moves the block of a rank, in input and output,
// to the place of the translated rank's block. For every rank of an orbit, one of the translations maps the program of the
// orbit's representative to the program of this rank. Therefore counting and verifying make only the representatives' programs.
// Algorithms state their symmetry; `verify` (verify.hpp) tests the statement.
//
// A rank is written as a number in a mixed radix, and a translation adds a multiple of `period` to each digit, modulo the digit's
// length. Hence the group is commutative, and each translation but the identity moves every rank.
class Symmetry {
 public:
  struct Digit {
    Count length = 1;
    Count period = 1;  // divides the length; if equal to the length, the digit never changes
    bool operator==(const Digit&) const = default;
  };

  // `digits`: the least significant digit first. Throws Error{misuse} if a period does not divide the length.
  explicit Symmetry(std::vector<Digit> digits);

  Count ranks() const;  // the product of the lengths
  // One for each orbit; all orbits have the same size.
  const std::vector<Rank>& representatives() const { return representatives_; }
  Rank representative_of(Rank rank) const;
  Count orbit_of(Rank rank) const;  // index of the representative of `rank` in representatives()
  // The rank to which x is moved by the group element that moves representative_of(rank) to `rank`.
  Rank image(Rank rank, Rank x) const;
  Rank preimage(Rank rank, Rank x) const;  // the inverse: image(rank, preimage(rank, x)) == x
  // Returns a number n such that the ranks x .. x+n-1 have consecutive images. It is at least 1 and at most the
  // length of one digit; it may be less than the largest such number.
  Count stretch(Rank rank, Rank x) const;
  std::string name() const;  // "translation", "exclusive or", or the lengths of the digits and what is added to them

 private:
  Rank moved(Rank rank, Rank x, int direction) const;

  std::vector<Digit> digits_;
  bool by_bits_ = true;  // every digit is a bit
  Rank moved_bits_ = 0;  // the bits that the group changes
  std::vector<Rank> representatives_;
};

Symmetry translation_symmetry(Count ranks);   // x -> x + t (mod p)
Symmetry exclusive_or_symmetry(Count ranks);  // x -> x ^ t, for powers of two

// The programs of all ranks, made on demand. `program` has no side effects: several threads may call it at once.
struct Schedule {
  Problem problem;
  std::string algorithm;
  Parameters parameters;
  std::function<Program(Rank)> program;
  std::optional<Symmetry> symmetry;  // stated by the algorithm; absent in schedules that were read from a file
  std::optional<Count> port_limit;   // stated by the algorithm: the most messages that any rank sends, or receives, in one round
  // Stated by the algorithm: the most exchanges that any node has with other nodes in one round
  // (VerifyOptions::node_port_limit).
  std::optional<Count> node_port_limit;
  // Buffer sizes of each rank, as stated by a file. If empty, the sizes are those that the problem defines
  // (input_bytes, output_bytes).
  std::vector<Bytes> stated_input_bytes, stated_output_bytes;
  std::function<std::string(Count round)> says;  // Algorithm::says; absent in schedules that were read from a file, or changed
};

// Returns "bruck:radix=2,ports=1": the algorithm and its parameters as the command line writes them.
std::string specification(const Schedule& schedule);
std::string specification(std::string_view algorithm, const Parameters& parameters);

}  // namespace quadrille
