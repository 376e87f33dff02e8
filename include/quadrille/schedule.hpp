// SPDX-License-Identifier: BSD-3-Clause
// The schedule: what every rank does, round by round. It is the one description of an algorithm's run; the verifier,
// the price, the drawing, the exchange format and the executors all take this value.
//
// A *program* is one rank's part. Rounds and stages have global numbers, and a program lists only the rounds in which
// its rank acts, so that its size grows with what that rank does and not with p. A *schedule* makes programs on demand.
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
  input,    // the caller's, never written
  output,   // the caller's
  scratch,  // the schedule's own
  staging,  // the executor's own: never in a schedule
};

std::string_view name(Buffer buffer);

// One way in which a piece of memory repeats: `count` times, `stride` bytes apart (may be negative).
struct Level {
  Count count = 1;
  Bytes stride = 0;
  bool operator==(const Level&) const = default;
};

// `length` bytes at `offset`, repeated by up to three levels, levels[0] innermost. The order of the bytes is that of
// the loops: levels[2] turns slowest. With all counts 1 it is the exchange format's [buffer, offset, length].
struct Region {
  Buffer buffer = Buffer::input;
  Bytes offset = 0;
  Bytes length = 0;
  std::array<Level, 3> levels{};
  bool operator==(const Region&) const = default;
};

// "output[8:8 *4/16]": buffer[offset:length], and for each level in use its *count/stride, innermost first.
std::string to_string(const Region& region);

using Regions = std::vector<Region>;  // the bytes of the regions, one after the other

// Bytes of a region or list. Throws Error{too_large} on overflow, and Error{misuse} for a negative length or count.
Bytes bytes(const Region& region);
Bytes bytes(const Regions& regions);

// The smallest [first, last) that holds every byte of the region. Throws Error{too_large} on overflow.
std::pair<Bytes, Bytes> hull(const Region& region);

// Calls visit(offset, length) for each contiguous run, in order. Adjacent runs are not merged.
template <class Visit>
void for_each_run(const Region& region, Visit&& visit) {
  const auto& [inner, middle, outer] = region.levels;
  if (region.length == 0 || inner.count == 0 || middle.count == 0) return;  // however often it is repeated
  for (Count c = 0; c < outer.count; ++c)
    for (Count b = 0; b < middle.count; ++b)
      for (Count a = 0; a < inner.count; ++a)
        visit(region.offset + a * inner.stride + b * middle.stride + c * outer.stride, region.length);
}

// A link by which a message leaves: a dimension of the topology, and +1 or -1.
struct Port {
  int dimension = 0;
  int direction = 1;
  auto operator<=>(const Port&) const = default;
};

enum class LocalKind : std::uint8_t { copy, reduce };
enum class OperandOrder : std::uint8_t {
  source_first,  // target = source o target
  target_first,  // target = target o source
};

// Work inside a rank. Source and target have the same length and do not overlap.
struct Local {
  LocalKind kind = LocalKind::copy;
  OperandOrder order = OperandOrder::source_first;  // reduce only
  Regions source;
  Regions target;
  bool operator==(const Local&) const = default;
};

// One end of a message: `regions` are read by a send and written by a receive. The send of round t from i to j (by a
// port) meets the receive of round t at j from i (by the same port).
struct Message {
  Rank peer = 0;
  Regions regions;
  std::optional<Port> port;
  bool operator==(const Message&) const = default;
};

// One end of a header or count exchange that travels with the round, apart from the payload.
struct Control {
  Rank peer = 0;
  Bytes bytes = 0;
  bool operator==(const Control&) const = default;
};

// What one rank does in one round: the locals in their order, then all messages at once. Every send reads the memory
// as it is after the locals and before any receive of the round writes.
struct Round {
  Count number = 0;  // global
  std::vector<Local> locals;
  std::vector<Message> sends;
  std::vector<Message> receives;
  std::vector<Control> control_sends;
  std::vector<Control> control_receives;
  bool operator==(const Round&) const = default;
};

// A run of rounds with one purpose, named for people. All programs of a schedule name the same stages.
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
  std::vector<Round> rounds;  // ascending by number; only those in which the rank acts
  bool operator==(const Program&) const = default;
};

// Parameters of an algorithm with the values used, defaults included.
using ParameterValue = std::variant<Count, std::string>;
using Parameters = std::map<std::string, ParameterValue>;

std::string to_string(const ParameterValue& value);

// A group of translations that acts on ranks, and with them on the blocks of the input and output. It takes the program of an
// orbit's representative to the program of every rank of the orbit, so that counting and verifying may look at the representatives
// alone. Algorithms state it; `verify` (verify.hpp) tests what they state.
//
// A rank is a number in a mixed radix, and the group adds a multiple of `period` to each digit, modulo the digit's length. So it is
// commutative, and none of its elements but the identity fixes a rank.
class Symmetry {
 public:
  struct Digit {
    Count length = 1;
    Count period = 1;  // divides the length; equal to it: the digit stays as it is
    bool operator==(const Digit&) const = default;
  };

  explicit Symmetry(std::vector<Digit> digits);  // the least significant first; the number of ranks is the product of lengths

  Count ranks() const;
  const std::vector<Rank>& representatives() const { return representatives_; }  // as many orbits, of equally many ranks
  Rank representative_of(Rank rank) const;
  Count orbit_of(Rank rank) const;         // where its representative stands in the list
  Rank image(Rank rank, Rank x) const;     // where the element that takes representative_of(rank) to `rank` takes rank x
  Rank preimage(Rank rank, Rank x) const;  // the rank with image(rank, preimage(rank, x)) == x
  // How many consecutive ranks from x on have consecutive images: at least 1, at most the length of one digit; it may be less than
  // the true number.
  Count stretch(Rank rank, Rank x) const;
  std::string name() const;  // "translation", "exclusive or", or how long the digits are and what is added to them

 private:
  Rank moved(Rank rank, Rank x, int direction) const;

  std::vector<Digit> digits_;
  bool by_bits_ = true;  // every digit is a bit
  Rank moved_bits_ = 0;  // those bits that change
  std::vector<Rank> representatives_;
};

Symmetry translation_symmetry(Count ranks);   // x -> x + t (mod p)
Symmetry exclusive_or_symmetry(Count ranks);  // x -> x ^ t, for powers of two

// The programs of all ranks, made on demand. `program` is pure: it may be called from several threads.
struct Schedule {
  Problem problem;
  std::string algorithm;
  Parameters parameters;
  std::function<Program(Rank)> program;
  std::optional<Symmetry> symmetry;      // stated by the algorithm; absent for documents
  std::optional<Count> port_limit;       // stated by the algorithm: most messages that a rank sends, or receives, in a round
  std::optional<Count> node_port_limit;  // stated by the algorithm: most exchanges that a node has with other nodes in a round
  // Documents state the size of their input and output buffers; empty: the canonical sizes.
  std::vector<Bytes> stated_input_bytes, stated_output_bytes;
};

// "bruck:radix=2,ports=1": the algorithm with its parameters in the command's notation.
std::string specification(const Schedule& schedule);
std::string specification(std::string_view algorithm, const Parameters& parameters);

}  // namespace quadrille
