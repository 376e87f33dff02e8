// SPDX-License-Identifier: BSD-3-Clause
// A random collective call on a communicator: its arguments, its memory, and the expected results.
#pragma once

#include <numeric>

#include "buffer.hpp"
#include "invoke.hpp"
#include "operations.hpp"

namespace quadrille::trials {

// A communicator's group or groups, as ranks of MPI_COMM_WORLD in the groups' order.
struct Group {
  MPI_Comm communicator = MPI_COMM_NULL;
  bool is_inter = false;
  int rank = 0;
  std::vector<int> local, remote;  // remote: equal to local for an intracommunicator
  int self() const { return local[static_cast<std::size_t>(rank)]; }
};

struct PreparedCall {
  Collective collective = Collective::barrier;
  Arguments arguments;
  Buffer in, out;
  std::vector<TypePointer> types;
  std::shared_ptr<Operation> operation;
  std::string text;
  std::uint64_t key = 0, iteration = 0;
  bool large = false;

  void fill() {
    ++iteration;
    in.fill(iteration);
    out.fill(iteration + 1);
  }
  std::optional<std::string> fault() {
    if (const auto what = in.fault()) return "what is sent: " + *what;
    if (const auto what = out.fault()) return "what is received: " + *what;
    return std::nullopt;
  }
};

// The arguments of one call. Those that MPI requires to be equal on all ranks are drawn from `shared`, the others from `own`.
class Preparation {
 public:
  // How the call differs from the one that the same random draws give; equal on all ranks.
  struct Change {
    bool longer = false, other_root = false;
  } change;

  Preparation(PreparedCall& call, const Group& group, Random& shared, Random& own)
      : call_(call), group_(group), shared_(shared), own_(own) {}
  void prepare(Collective collective, Count most_units);
  // A message from each rank to another. Returns the destination and the source; -1 for none.
  std::pair<int, int> prepare_message(Count most_units);

 private:
  enum class Form { single, regular, vector, types };
  struct Block {
    Count units = 0;
    Content before, after;
    bool unspecified = false;
  };

  Content content(int source, int target) {
    return [call = &call_, source, target](Count k) {
      const auto word = [](Count x) { return static_cast<std::uint64_t>(x); };
      const std::uint64_t bits = hash({call->key, call->iteration, word(source), word(target), word(k)});
      const std::uint64_t both[] = {bits, mix(bits)};
      Value value;
      std::memcpy(value.data(), both, sizeof both);
      return value;
    };
  }

  // The length of the block that one rank sends to another; -1 stands for all ranks.
  Count units(int source, int target) const {
    if (symmetric_ && source > target) std::swap(source, target);
    if (form_ == Form::regular || form_ == Form::single) return units_;
    const std::uint64_t bits = hash({call_.key, static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target)});
    const auto some = static_cast<Count>(bits >> 8) & 0xffffff;
    switch (pattern_) {
      case 0: return some % (units_ / grain_ + 1) * grain_;
      case 1: return bits % 4 ? 0 : units_;
      case 2: return bits % 8 ? grain_ : units_;
      case 3: return 0;
      default: return units_;
    }
  }

  void lay_out(Half& half, Buffer& buffer, const std::vector<Block>& blocks, Form form);
  void place_by_types(Half& half, Buffer& buffer, const std::vector<Block>& blocks);
  TypePointer type_for(int divisor, Random& random) {
    call_.types.push_back(large_blocks() ? random_type(signature_, 1, true, random)
                                         : random_type(signature_, divisor, random.one_in(3), random));
    call_.text += " " + call_.types.back()->name;
    return call_.types.back();
  }
  // Both libraries mistake the length of large messages whose types differ on the two sides, so large blocks use equal types.
  bool large_blocks() const { return total_bytes_of(units_) > 4000; }
  int divisor() {
    if (large_blocks() || call_.collective == Collective::allgatherv)
      return 1;  // here Open MPI 4.1.4 looks at the sender's type only
    std::vector<int> divisors;
    for (int a = 1; a <= grain_; ++a)
      if (grain_ % a == 0) divisors.push_back(a);
    return own_.of(divisors);
  }
  void take_addresses();

  void prepare_movement();
  // MPICH 4.0.2 mistakes the length of a message of several fragments if a fragment ends inside a structure.
  void limit_mixed_units() {
    if (signature_.size() > 1) units_ = std::min<Count>(units_, 4000 / total_bytes_of(1) / grain_ * grain_);
  }
  Count total_bytes_of(Count units) const {
    Count bytes = 0;
    for (const Primitive primitive : signature_) bytes += bytes_of(primitive);
    return units * bytes * static_cast<Count>(std::max(group_.local.size(), group_.remote.size()));
  }
  std::vector<Block> outgoing();
  std::vector<Block> incoming();
  void set_root();
  bool is_root() const { return !group_.is_inter ? group_.rank == root_ : root_is_here_ && group_.rank == root_; }

  void prepare_reduction();
  Content operands(int source);
  Content result(std::vector<int> sources, Count first_unit, Count count);

  PreparedCall& call_;
  const Group& group_;
  Random& shared_;
  Random& own_;
  Signature signature_;
  Count units_ = 0;  // in a block; for irregular collectives, the maximum
  int grain_ = 1, pattern_ = 0;
  bool empty_types_ = false;  // used where nothing is sent; on all ranks, because MPI libraries look at the count
  bool in_place_ = false, symmetric_ = false, root_is_here_ = true;
  int root_ = 0;  // rank in its group
  int root_world_ = 0;
  Form form_ = Form::single;
  Rule rule_ = Rule::sum;
};

inline void Preparation::lay_out(Half& half, Buffer& buffer, const std::vector<Block>& blocks, Form form) {
  if (form == Form::types) return place_by_types(half, buffer, blocks);
  const int a = divisor();
  Count all = 0;
  for (const Block& block : blocks) all += block.units;
  if (all == 0 && empty_types_) {
    call_.types.push_back(empty_type(own_));
    half.type = call_.types.back()->handle;
    half.count = 1 + own_.below(3);
    call_.text += " empty";
    return;
  }
  const TypePointer type = type_for(a, own_);
  half.type = type->handle;
  if (form != Form::vector) half.count = blocks.empty() ? 0 : blocks[0].units / a;
  half.counts.resize(blocks.size());
  half.places.resize(blocks.size());
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (form == Form::vector && own_.one_in(2))
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(own_.below(static_cast<Count>(i)))]);
  const bool gaps = form == Form::vector && own_.one_in(2);
  Count place = form == Form::vector ? own_.below(3) : 0;
  for (const std::size_t i : order) {
    const Block& block = blocks[i];
    half.counts[i] = block.units / a;
    half.places[i] = half.counts[i] == 0 && own_.one_in(2) ? own_.below(2000) - 1000 : place;
    buffer.add(
        {type, half.counts[i], static_cast<std::ptrdiff_t>(place * type->extent), block.before, block.after, block.unspecified});
    place += half.counts[i] + (gaps ? own_.below(3) : 0);
  }
}

inline void Preparation::place_by_types(Half& half, Buffer& buffer, const std::vector<Block>& blocks) {
  std::ptrdiff_t end = 0;
  for (const Block& block : blocks) {
    const int a = divisor();
    const TypePointer type = type_for(a, own_);
    const Count count = block.units / a;
    const std::ptrdiff_t place = end - (type->lower - 15) / 16 * 16 + 32;
    if (count > 0) end = (place + type->upper + (count - 1) * type->extent + 15) / 16 * 16;
    half.counts.push_back(count);
    half.places.push_back(place);
    half.types.push_back(type->handle);
    buffer.add({type, count, place, block.before, block.after, block.unspecified});
  }
}

inline void Preparation::take_addresses() {
  for (auto [half, buffer] : {std::pair{&call_.arguments.in, &call_.in}, std::pair{&call_.arguments.out, &call_.out}}) {
    buffer->allocate(own_);
    half->buffer = buffer->nothing() && !group_.is_inter && own_.one_in(2) ? nullptr : buffer->address();
  }
}

inline void Preparation::set_root() {
  root_is_here_ = true;
  if (!group_.is_inter) {
    const auto ranks = static_cast<Count>(group_.local.size());
    root_ = static_cast<int>((shared_.below(ranks) + change.other_root) % ranks);
    root_world_ = group_.local[static_cast<std::size_t>(root_)];
    call_.arguments.root = root_;
    return;
  }
  // The group with the lowest rank counts as the first one, so that both groups draw the same.
  const bool local_first = group_.local[0] < group_.remote[0];
  root_is_here_ = (shared_.below(2) == 0) == local_first;
  const std::vector<int>& of = root_is_here_ ? group_.local : group_.remote;
  root_ = static_cast<int>(shared_.below(static_cast<Count>(1000)) % static_cast<Count>(of.size()));
  root_world_ = of[static_cast<std::size_t>(root_)];
  call_.arguments.root = !root_is_here_ ? root_ : group_.rank == root_ ? MPI_ROOT : MPI_PROC_NULL;
}

inline std::vector<Preparation::Block> Preparation::outgoing() {
  const int self = group_.self();
  const bool receives_only = group_.is_inter && root_is_here_;  // a gather towards this rank's group
  std::vector<Block> blocks;
  const auto add = [&](int target, Count count) { blocks.push_back({count, content(self, target), {}, false}); };
  switch (call_.collective) {
    case Collective::bcast:
      if (is_root()) add(-1, units_);
      break;
    case Collective::gather:
    case Collective::gatherv:
      if (!receives_only) add(root_world_, units(self, root_world_));
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (is_root())
        for (const int target : group_.remote) add(target, units(self, target));
      break;
    case Collective::allgather:
    case Collective::allgatherv: add(-1, units(self, -1)); break;
    default:
      for (const int target : group_.remote) add(target, units(self, target));
  }
  return blocks;
}

inline std::vector<Preparation::Block> Preparation::incoming() {
  const int self = group_.self();
  std::vector<Block> blocks;
  const auto add = [&](int source, int target, Count count, bool here_before) {
    blocks.push_back(
        {count, here_before ? content(self, target == self ? source : target) : Content{}, content(source, target), false});
  };
  switch (call_.collective) {
    case Collective::bcast:
      if (!group_.is_inter || !root_is_here_) add(root_world_, -1, units_, false);
      break;
    case Collective::gather:
    case Collective::gatherv:
      if (is_root())
        for (const int source : group_.remote) add(source, self, units(source, self), in_place_ && source == self);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      if (!group_.is_inter || !root_is_here_) add(root_world_, self, units(root_world_, self), false);
      break;
    case Collective::allgather:
    case Collective::allgatherv:
      for (const int source : group_.remote) add(source, -1, units(source, -1), in_place_ && source == self);
      break;
    default:
      for (const int source : group_.remote) add(source, self, units(source, self), in_place_);
  }
  return blocks;
}

inline void Preparation::prepare_movement() {
  const Collective c = call_.collective;
  const bool gathered = c == Collective::gather || c == Collective::gatherv;
  const bool scattered = c == Collective::scatter || c == Collective::scatterv;
  const bool rooted = c == Collective::bcast || gathered || scattered;
  const int primitives = 1 + (shared_.one_in(3) ? static_cast<int>(shared_.below(3)) : 0);
  for (int i = 0; i < primitives; ++i) signature_.push_back(static_cast<Primitive>(shared_.below(primitive_count)));
  limit_mixed_units();
  if (rooted) set_root();
  const bool drawn_in_place = shared_.one_in(4) && !group_.is_inter && c != Collective::bcast;
  in_place_ = drawn_in_place && (!rooted || is_root());
  symmetric_ = drawn_in_place && c >= Collective::alltoall;
  pattern_ = static_cast<int>(shared_.below(5));
  const bool v = c == Collective::gatherv || c == Collective::scatterv || c == Collective::allgatherv || c == Collective::alltoallv;
  if (v) empty_types_ = false;
  form_ = v ? Form::vector : c == Collective::alltoallw ? Form::types : c == Collective::bcast ? Form::single : Form::regular;

  const std::vector<Block> out = outgoing(), in = incoming();
  Arguments& a = call_.arguments;
  if (c == Collective::bcast) {
    const std::vector<Block>& all = out.empty() ? in : out;
    if (!all.empty()) lay_out(a.out, call_.out, all, Form::single);
    return take_addresses();
  }
  const bool sends = !out.empty() && (!in_place_ || scattered), receives = !in.empty() && !(in_place_ && scattered);
  if (sends) lay_out(a.in, call_.in, out, v && (gathered || c == Collective::allgatherv) ? Form::single : form_);
  if (receives) lay_out(a.out, call_.out, in, v && scattered ? Form::single : form_);
  take_addresses();
  if (in_place_) (scattered ? a.out : a.in).buffer = MPI_IN_PLACE;
}

inline Content Preparation::operands(int source) {
  return [call = &call_, rule = rule_, signature = signature_, source](Count k) {
    const auto word = [](Count x) { return static_cast<std::uint64_t>(x); };
    return drawn(rule, signature[static_cast<std::size_t>(k) % signature.size()],
                 hash({call->key, call->iteration, word(source), word(k)}));
  };
}

// The expected result of a reduction over these ranks, in rank order, for `count` units from first_unit on.
inline Content Preparation::result(std::vector<int> sources, Count first_unit, Count count) {
  std::vector<Content> each;
  for (const int source : sources) each.push_back(operands(source));
  auto values = std::make_shared<std::vector<Value>>();
  return [=, rule = rule_, signature = signature_](Count k) {
    const auto items = static_cast<Count>(signature.size());
    if (k == 0) {
      values->assign(static_cast<std::size_t>(count * items), Value{});
      std::vector<Value> next(signature.size());
      for (Count unit = 0; unit < count; ++unit)
        for (std::size_t s = each.size(); s-- > 0;) {
          Value* to = values->data() + unit * items;
          for (Count i = 0; i < items; ++i) {
            const Value value = each[s]((first_unit + unit) * items + i);
            (s + 1 == each.size() ? to[i] : next[static_cast<std::size_t>(i)]) = value;
          }
          if (s + 1 < each.size()) combine(rule, signature, next.data(), to);
        }
    }
    return (*values)[static_cast<std::size_t>(k)];
  };
}

inline void Preparation::prepare_reduction() {
  const Collective c = call_.collective;
  rule_ = static_cast<Rule>(shared_.below(rule_count));
#ifndef OPEN_MPI  // MPICH 4.0.2 gives wrong results for powers of two ranks if types have gaps
  if (is_ordered(rule_) && (c == Collective::reduce_scatter || c == Collective::reduce_scatter_block)) rule_ = Rule::user_sum;
#endif
  signature_ = signature_for(rule_, shared_);
  if (c == Collective::reduce) set_root();
  const bool alike = shared_.one_in(4) && !group_.is_inter;
  in_place_ = alike && (c != Collective::reduce || is_root());
#ifndef OPEN_MPI  // MPICH 4.0.2 crashes there with more than 2 KiB
  if (c == Collective::reduce && total_bytes_of(units_) > 2000) in_place_ = false;
#endif
  call_.operation = std::make_shared<Operation>(rule_);
  const int a = is_users(rule_) && !large_blocks() ? grain_ : 1;
  const TypePointer type = is_users(rule_) ? type_for(a, shared_) : call_.types.emplace_back(unit_type(signature_, shared_));
  known_types()[type->handle] = {type->items, type->extent, signature_};
  const auto ranks = static_cast<Count>(group_.local.size());
  const Count block = units_ / a * a;
  Arguments& args = call_.arguments;
  args.operation = call_.operation->handle();
  args.out.type = type->handle;
  args.out.count = block / a;
  std::vector<Count> counts(static_cast<std::size_t>(ranks), block);
  if (c == Collective::reduce_scatter)
    for (Count& count : counts) count = shared_.one_in(3) ? 0 : shared_.below(block / a + 1) * a;
  for (const Count count : counts) args.out.counts.push_back(count / a);
  const bool scattered = c == Collective::reduce_scatter || c == Collective::reduce_scatter_block;
  const Count total = scattered ? std::accumulate(counts.begin(), counts.end(), Count{0}) : block;
  const Count mine = scattered ? counts[static_cast<std::size_t>(group_.rank)] : block;
  const Count first = scattered ? std::accumulate(counts.begin(), counts.begin() + group_.rank, Count{0}) : 0;

  std::vector<int> sources = group_.remote;
  if (c == Collective::scan) sources.resize(static_cast<std::size_t>(group_.rank) + 1);
  if (c == Collective::exscan) sources.resize(static_cast<std::size_t>(group_.rank));
  const bool receives = c != Collective::reduce || is_root();
  const bool sends = c != Collective::reduce || !group_.is_inter || !root_is_here_;
  const Content own = operands(group_.self());
  if (sends && !in_place_) call_.in.add({type, total / a, 0, own, {}, false});
  if (receives) {
    const bool unspecified = sources.empty();
    Part part{type, mine / a, 0, in_place_ ? own : Content{}, unspecified ? Content{} : result(sources, first, mine), unspecified};
    if (in_place_ && total > mine) call_.out.add({type, total / a, 0, own, {}, true});
    call_.out.add(std::move(part));
  }
  take_addresses();
  if (in_place_) args.in.buffer = MPI_IN_PLACE;
  call_.text += " rule " + std::to_string(static_cast<int>(rule_));
}

inline void Preparation::prepare(Collective collective, Count most_units) {
  call_.collective = collective;
  call_.arguments.communicator = group_.communicator;
  call_.key = shared_();
  call_.large = has_large && shared_.one_in(3);
  if (group_.is_inter)  // Open MPI 4.1.4 looks at types that are not significant, and crashes with MPI_DATATYPE_NULL
    call_.arguments.in.type = call_.arguments.out.type = MPI_BYTE;
  grain_ = shared_.one_in(2) ? 1 : std::vector<int>{2, 3, 4, 6, 12}[static_cast<std::size_t>(shared_.below(5))];
  const Count sizes[] = {0, 1, 1 + shared_.below(8), 1 + shared_.below(100), 1 + shared_.below(most_units)};
  empty_types_ = shared_.one_in(3);
  units_ = (sizes[shared_.below(5)] + grain_ - 1) / grain_ * grain_ + (change.longer ? grain_ : 0);
  call_.text = name_of(collective);
  if (collective >= Collective::reduce && collective <= Collective::exscan)
    prepare_reduction();
  else if (collective != Collective::barrier)
    prepare_movement();
  call_.text += call_.large ? " _c" : "";
  call_.text += in_place_ ? " in place" : "";
  call_.text += " of " + std::to_string(units_) + " units, " + std::to_string(group_.local.size()) + " ranks, root " +
                std::to_string(call_.arguments.root) + (group_.is_inter ? ", intercommunicator" : "");
}

inline std::pair<int, int> Preparation::prepare_message(Count most_units) {
  call_.key = shared_();
  call_.text = "message";
  const int primitives = 1 + static_cast<int>(shared_.below(2));
  for (int i = 0; i < primitives; ++i) signature_.push_back(static_cast<Primitive>(shared_.below(primitive_count)));
  grain_ = shared_.one_in(2) ? 1 : 6;
  units_ = (1 + shared_.below(most_units) + grain_ - 1) / grain_ * grain_;
  limit_mixed_units();
  const auto ranks = static_cast<int>(group_.remote.size());
  const auto by = static_cast<int>(shared_.below(7));
  int to = (group_.rank + by) % ranks, from = (group_.rank + ranks * 7 - by) % ranks;
  if (group_.is_inter) to = from = group_.rank < ranks ? group_.rank : -1;
  const auto world = [&](int rank) { return group_.remote[static_cast<std::size_t>(rank)]; };
  if (to >= 0) lay_out(call_.arguments.in, call_.in, {{units_, content(group_.self(), world(to)), {}, false}}, Form::single);
  if (from >= 0) lay_out(call_.arguments.out, call_.out, {{units_, {}, content(world(from), group_.self()), false}}, Form::single);
  take_addresses();
  return {to, from};
}

}  // namespace quadrille::trials
