// SPDX-License-Identifier: BSD-3-Clause
// Tests every form of every typed call on the ranks of any communicator, with data whose result a plain loop computes. Each rank
// can compute the input of all ranks. tests/headers/instantiated_test.cpp checks that no form is missing.
#pragma once

#include <fmt/format.h>

#include <array>
#include <complex>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "quadrille/collectives.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::testing {

// The function x -> factor x + shift, and a number to be added. Composing functions does not commute. The type has 12 bytes.
struct Affine {
  std::uint32_t factor, shift, sum;
  friend Affine operator*(const Affine& first, const Affine& second) {
    return {first.factor * second.factor, first.shift * second.factor + second.shift, first.sum + second.sum};
  }
};

// Data and size of a matrix, with the members of a multidimensional span.
template <class T>
class Matrix2D {
 public:
  Matrix2D(Count rows, Count columns) : rows_(rows), memory_(index(rows * columns)) {}
  T* data() { return memory_.data(); }
  const T* data() const { return memory_.data(); }
  std::size_t size() const { return memory_.size(); }
  Count rows() const { return rows_; }

 private:
  Count rows_;
  std::vector<T> memory_;
};

template <class T>
T element(Rank rank, Count i) {
  const auto seed = static_cast<std::uint32_t>((rank + 1) * 7919 + i * 31);
  if constexpr (std::is_same_v<T, Affine>)
    return {seed | 1, seed * 5, seed};
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return {static_cast<float>(seed % 100), static_cast<float>(rank)};
  else
    return static_cast<T>(seed % 100);
}

template <class T>
std::vector<T> elements(Rank rank, Count count) {
  std::vector<T> list;
  for (Count i = 0; i < count; ++i) list.push_back(element<T>(rank, i));
  return list;
}

// An operator of each kind: a function that is called in rank order, a commutative function, and a built-in operator.
template <class T>
auto combining() {
  if constexpr (std::is_same_v<T, Affine>)
    return ordered([](const Affine& a, const Affine& b) { return a * b; }, "composition");
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return commutative([](std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a + b); });
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return [](const T& a, const T& b) { return a + b; };
  else
    return op::sum;
}

template <class T>
T combined(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Affine>)
    return a * b;
  else
    return static_cast<T>(a + b);
}

// Runs all calls with elements of type T and blocks of `n` elements. `root` is the root of rooted collectives. `Ranks` is a
// reference to a communicator or to a pointer to one.
template <class T, class Ranks>
class TypedCalls {
 public:
  TypedCalls(Ranks ranks, Count n, Rank root)
      : ranks_(ranks), me_(Group(ranks)->rank()), p_(Group(ranks)->size()), n_(n), root_(root) {}

  // Collective. Returns what is wrong; empty if nothing is.
  std::string run() {
    exchange();
    spread();
    reduce_all();
    reduce_some();
    prefixes();
    irregular_exchange();
    irregular_rooted();
    irregular_reduced();
    return wrong_;
  }

 private:
  using List = std::vector<T>;

  template <class Range>
  void expect(const std::string& what, const Range& got, const List& expected) {
    if (!wrong_.empty()) return;
    if (std::size(got) != expected.size() ||
        (!expected.empty() && std::memcmp(std::data(got), expected.data(), expected.size() * sizeof(T)) != 0))
      wrong_ = fmt::format("{}: elements of {} B, {} a block, root {}, rank {} of {}", what, sizeof(T), n_, root_, me_, p_);
  }

  // Runs forms of one call. Each gets a buffer of its own with the contents `before`. Afterwards the buffer begins with `after`.
  template <class... Forms>
  void expect_each(const std::string& what, const List& before, const List& after, const Forms&... forms) {
    int number = 0;
    const auto run = [&](const auto& form) {
      List buffer = before;
      form(buffer);
      expect(fmt::format("{}, form {}", what, ++number), std::span(buffer).first(after.size()), after);
    };
    (run(forms), ...);
  }

  // Returns the inputs of ranks first .. last combined, for elements from .. from + count.
  List fold(Rank first, Rank last, Count from, Count count) const {
    List all;
    for (Count i = from; i < from + count; ++i) {
      T value = element<T>(first, i);
      for (Rank rank = first + 1; rank <= last; ++rank) value = combined(value, element<T>(rank, i));
      all.push_back(value);
    }
    return all;
  }
  List blank(Count count) const { return List(index(count), T{}); }

  void exchange() {
    const List input = elements<T>(me_, p_ * n_), own(input.begin(), input.begin() + n_);
    List expected, gathered, placed = blank(p_ * n_);
    for (Rank from = 0; from < p_; ++from)
      for (Count i = 0; i < n_; ++i) expected.push_back(element<T>(from, me_ * n_ + i)), gathered.push_back(element<T>(from, i));
    std::copy(own.begin(), own.end(), placed.begin() + me_ * n_);
    expect_each(
        "alltoall", blank(p_ * n_), expected, [&](List& output) { alltoall(ranks_, input, output); },
        [&](List& output) { alltoall(ranks_, input, std::span(output), {.algorithm = "shift"}); },
        [&](List& output) { ialltoall(ranks_, std::span(input), output).wait(); },
        [&](List& output) { plan_alltoall<T>(ranks_, n_).execute(input, output); },
        [&](List& output) { plan_alltoall<T>(ranks_, n_).start(input, output).wait(); });
    expect_each(
        "alltoall in place", input, expected, [&](List& buffer) { alltoall(ranks_, in_place, buffer); },
        [&](List& buffer) { ialltoall(ranks_, in_place, buffer).wait(); },
        [&](List& buffer) { plan_alltoall<T>(ranks_, n_, in_place_).execute_in_place(buffer); });
    Matrix2D<T> matrix(p_, n_);
    alltoall(ranks_, input, matrix);
    expect("alltoall into a matrix", matrix, expected);

    expect_each(
        "allgather", blank(p_ * n_), gathered, [&](List& output) { allgather(ranks_, std::span(own), output); },
        [&](List& output) { iallgather(ranks_, own, output).wait(); },
        [&](List& output) { plan_allgather<T>(ranks_, n_).execute(own, output); });
    expect_each(
        "allgather in place", placed, gathered, [&](List& buffer) { allgather(ranks_, in_place, buffer); },
        [&](List& buffer) { iallgather(ranks_, in_place, buffer).wait(); },
        [&](List& buffer) { plan_allgather<T>(ranks_, n_, in_place_).execute_in_place(buffer); });
    barrier(ranks_);
    ibarrier(ranks_).wait();
  }

  void spread() {
    const bool is_root = me_ == root_;
    const List root_blocks = elements<T>(root_, p_ * n_), own = elements<T>(me_, n_), nothing;
    const List first(root_blocks.begin(), root_blocks.begin() + n_);
    expect_each(
        "broadcast", is_root ? first : blank(n_), first, [&](List& buffer) { broadcast(ranks_, buffer, root_); },
        [&](List& buffer) { ibroadcast(ranks_, buffer, root_).wait(); },
        [&](List& buffer) { plan_broadcast<T>(ranks_, n_, root_).execute_in_place(buffer); });
    T value = element<T>(me_, 3);
    broadcast(ranks_, value, root_);
    expect("broadcast of a value", std::span(&value, 1), {element<T>(root_, 3)});

    const List share(root_blocks.begin() + me_ * n_, root_blocks.begin() + (me_ + 1) * n_);
    const List& scattered = is_root ? root_blocks : nothing;
    expect_each(
        "scatter", blank(n_), share, [&](List& output) { scatter(ranks_, scattered, output, root_); },
        [&](List& output) { iscatter(ranks_, scattered, output, root_).wait(); },
        [&](List& output) { plan_scatter<T>(ranks_, n_, root_).execute(scattered, output); });
    expect_each(
        "scatter in place", is_root ? root_blocks : blank(n_), is_root ? root_blocks : share,
        [&](List& buffer) { scatter(ranks_, in_place, buffer, root_); },
        [&](List& buffer) { iscatter(ranks_, in_place, buffer, root_).wait(); },
        [&](List& buffer) { plan_scatter<T>(ranks_, n_, root_, in_place_).execute_in_place(buffer); });

    List gathered, placed = blank(p_ * n_);
    for (Rank from = 0; from < p_; ++from)
      for (Count i = 0; i < n_; ++i) gathered.push_back(element<T>(from, i));
    std::copy(own.begin(), own.end(), placed.begin() + me_ * n_);
    expect_each(
        "gather", is_root ? blank(p_ * n_) : nothing, is_root ? gathered : nothing,
        [&](List& output) { gather(ranks_, own, output, root_); },
        [&](List& output) { igather(ranks_, own, output, root_).wait(); },
        [&](List& output) { plan_gather<T>(ranks_, n_, root_).execute(own, output); });
    expect_each(
        "gather in place", is_root ? placed : own, is_root ? gathered : own,
        [&](List& buffer) { gather(ranks_, in_place, buffer, root_); },
        [&](List& buffer) { igather(ranks_, in_place, buffer, root_).wait(); },
        [&](List& buffer) { plan_gather<T>(ranks_, n_, root_, in_place_).execute_in_place(buffer); });
  }

  void reduce_all() {
    const auto op = combining<T>();
    const List own = elements<T>(me_, n_), expected = fold(0, p_ - 1, 0, n_);
    expect_each(
        "allreduce", blank(n_), expected, [&](List& output) { allreduce(ranks_, own, output, op); },
        [&](List& output) { iallreduce(ranks_, own, output, op).wait(); },
        [&](List& output) { plan_allreduce<T>(ranks_, n_, op).execute(own, output); });
    auto planned = plan_allreduce<T>(ranks_, n_, op, in_place_);
    expect_each(
        "allreduce in place", own, expected, [&](List& buffer) { allreduce(ranks_, in_place, buffer, op); },
        [&](List& buffer) { iallreduce(ranks_, in_place, buffer, op).wait(); },
        [&](List& buffer) { planned.execute_in_place(buffer); }, [&](List& buffer) { planned.start_in_place(buffer).wait(); });
    const T value = allreduce(ranks_, element<T>(me_, 0), op);
    expect("allreduce of a value", std::span(&value, 1), fold(0, p_ - 1, 0, 1));
  }

  void reduce_some() {
    const auto op = combining<T>();
    const bool is_root = me_ == root_;
    const List own = elements<T>(me_, p_ * n_), expected = fold(0, p_ - 1, 0, p_ * n_), share = fold(0, p_ - 1, me_ * n_, n_);
    const List nothing;
    expect_each(
        "reduce", is_root ? blank(p_ * n_) : nothing, is_root ? expected : nothing,
        [&](List& output) { reduce(ranks_, own, output, op, root_); },
        [&](List& output) { ireduce(ranks_, own, output, op, root_).wait(); },
        [&](List& output) { plan_reduce<T>(ranks_, p_ * n_, op, root_).execute(own, output); });
    expect_each(
        "reduce in place", own, is_root ? expected : own, [&](List& buffer) { reduce(ranks_, in_place, buffer, op, root_); },
        [&](List& buffer) { ireduce(ranks_, in_place, buffer, op, root_).wait(); },
        [&](List& buffer) { plan_reduce<T>(ranks_, p_ * n_, op, root_, in_place_).execute_in_place(buffer); });

    expect_each(
        "reduce_scatter", blank(n_), share, [&](List& output) { reduce_scatter(ranks_, own, output, op); },
        [&](List& output) { ireduce_scatter(ranks_, own, output, op).wait(); },
        [&](List& output) { plan_reduce_scatter<T>(ranks_, n_, op).execute(own, output); });
    expect_each(
        "reduce_scatter in place", own, share, [&](List& buffer) { reduce_scatter(ranks_, in_place, buffer, op); },
        [&](List& buffer) { ireduce_scatter(ranks_, in_place, buffer, op).wait(); },
        [&](List& buffer) { plan_reduce_scatter<T>(ranks_, n_, op, in_place_).execute_in_place(buffer); });
  }

  void prefixes() {
    const auto op = combining<T>();
    const List own = elements<T>(me_, n_), up_to = fold(0, me_, 0, n_);
    const List before = me_ > 0 ? fold(0, me_ - 1, 0, n_) : own;  // the buffers hold `own`, which rank 0 of an exscan keeps
    expect_each(
        "scan", blank(n_), up_to, [&](List& output) { scan(ranks_, own, output, op); },
        [&](List& output) { iscan(ranks_, own, output, op).wait(); },
        [&](List& output) { plan_scan<T>(ranks_, n_, op).execute(own, output); });
    expect_each(
        "scan in place", own, up_to, [&](List& buffer) { scan(ranks_, in_place, buffer, op); },
        [&](List& buffer) { iscan(ranks_, in_place, buffer, op).wait(); },
        [&](List& buffer) { plan_scan<T>(ranks_, n_, op, in_place_).execute_in_place(buffer); });
    const T value = scan(ranks_, element<T>(me_, 0), op);
    expect("scan of a value", std::span(&value, 1), fold(0, me_, 0, 1));
    expect_each(
        "exscan", own, before, [&](List& output) { exscan(ranks_, own, output, op); },
        [&](List& output) { iexscan(ranks_, own, output, op).wait(); },
        [&](List& output) { plan_exscan<T>(ranks_, n_, op).execute(own, output); });
    expect_each(
        "exscan in place", own, before, [&](List& buffer) { exscan(ranks_, in_place, buffer, op); },
        [&](List& buffer) { iexscan(ranks_, in_place, buffer, op).wait(); },
        [&](List& buffer) { plan_exscan<T>(ranks_, n_, op, in_place_).execute_in_place(buffer); });
  }

  // Blocks of different lengths in a buffer: without displacements one after the other, otherwise with gaps.
  template <class Counted, class Place>
  struct Irregular {
    std::vector<Counted> counts{};
    std::vector<Place> places{};
    List packed{}, spaced = List(1, T{});

    void add(const List& block) {
      counts.push_back(static_cast<Counted>(block.size()));
      places.push_back(static_cast<Place>(spaced.size()));
      for (List* list : {&packed, &spaced}) list->insert(list->end(), block.begin(), block.end());
      spaced.push_back(T{});
    }
  };

  // Returns what rank `from` sends to rank `to`; for some pairs nothing.
  List block(Rank from, Rank to, Count count) const {
    List list;
    for (Count i = 0; i < count; ++i) list.push_back(element<T>(from, to * 10 + i));
    return list;
  }
  List block(Rank from, Rank to) const { return block(from, to, (from * 2 + to * 3) % 4 * n_); }

  void irregular_exchange() {
    Irregular<int, int> sent;
    Irregular<int, std::uint64_t> received;
    Irregular<std::int16_t, Count> same, exchanged;  // counts that are the same in both directions
    for (Rank rank = 0; rank < p_; ++rank) {
      sent.add(block(me_, rank)), received.add(block(rank, me_));
      same.add(block(me_, rank, std::min(me_, rank) + n_)), exchanged.add(block(rank, me_, std::min(me_, rank) + n_));
    }
    expect_each(
        "alltoallv, packed", blank(size(received.packed)), received.packed,
        [&](List& output) { alltoallv(ranks_, sent.packed, sent.counts, output, received.counts); },
        [&](List& output) { ialltoallv(ranks_, sent.packed, sent.counts, output, received.counts).wait(); },
        [&](List& output) { plan_alltoallv<T>(ranks_, sent.counts, received.counts).execute(sent.packed, output); });
    expect_each(
        "alltoallv", blank(size(received.spaced)), received.spaced,
        [&](List& output) {
          alltoallv(ranks_, sent.spaced, {sent.counts, sent.places}, output, {received.counts, received.places});
        },
        [&](List& output) {
          ialltoallv(ranks_, sent.spaced, {sent.counts, sent.places}, output, {received.counts, received.places}).wait();
        });
    expect_each(
        "alltoallv in place, packed", same.packed, exchanged.packed,
        [&](List& buffer) { alltoallv(ranks_, in_place, {}, buffer, same.counts); },
        [&](List& buffer) { ialltoallv(ranks_, in_place, {}, buffer, same.counts).wait(); },
        [&](List& buffer) { plan_alltoallv<T>(ranks_, {}, same.counts, in_place_).execute_in_place(buffer); });
    expect_each(
        "alltoallv in place", same.spaced, exchanged.spaced,
        [&](List& buffer) {
          alltoallv(ranks_, in_place, {}, buffer, {same.counts, same.places});
        },
        [&](List& buffer) {
          ialltoallv(ranks_, in_place, {}, buffer, {same.counts, same.places}).wait();
        });
  }

  void irregular_rooted() {
    Irregular<Count, int> shares;
    for (Rank rank = 0; rank < p_; ++rank) shares.add(elements<T>(rank, rank % 3 * n_));
    Count before = 0;
    for (Rank rank = 0; rank < me_; ++rank) before += shares.counts[index(rank)];
    irregular_rooted("packed", shares.packed, before, shares.counts);
    irregular_rooted("displaced", shares.spaced, shares.places[index(me_)], {shares.counts, shares.places});
  }

  // `blocks` are those of `shares`. This rank's share lies at `place`.
  void irregular_rooted(const char* form, const List& shares, Count place, const Blocks& blocks) {
    const bool is_root = me_ == root_;
    const List own = elements<T>(me_, me_ % 3 * n_), nothing;
    const List& root_shares = is_root ? shares : nothing;
    const Blocks at_root = is_root ? blocks : Blocks{};
    List placed = blank(size(shares));
    std::copy(own.begin(), own.end(), placed.begin() + place);
    const auto what = [&](const char* call) { return fmt::format("{}, {}", call, form); };
    expect_each(
        what("allgatherv"), blank(size(shares)), shares, [&](List& output) { allgatherv(ranks_, own, output, blocks); },
        [&](List& output) { iallgatherv(ranks_, own, output, blocks).wait(); },
        [&](List& output) { plan_allgatherv<T>(ranks_, blocks).execute(own, output); });
    expect_each(
        what("allgatherv in place"), placed, shares, [&](List& buffer) { allgatherv(ranks_, in_place, buffer, blocks); },
        [&](List& buffer) { iallgatherv(ranks_, in_place, buffer, blocks).wait(); },
        [&](List& buffer) { plan_allgatherv<T>(ranks_, blocks, in_place_).execute_in_place(buffer); });
    expect_each(
        what("gatherv"), blank(size(root_shares)), root_shares, [&](List& output) { gatherv(ranks_, own, output, at_root, root_); },
        [&](List& output) { igatherv(ranks_, own, output, at_root, root_).wait(); },
        [&](List& output) { plan_gatherv<T>(ranks_, size(own), blocks, root_).execute(own, output); });
    expect_each(
        what("gatherv in place"), is_root ? placed : own, is_root ? shares : own,
        [&](List& buffer) { gatherv(ranks_, in_place, buffer, at_root, root_); },
        [&](List& buffer) { igatherv(ranks_, in_place, buffer, at_root, root_).wait(); },
        [&](List& buffer) { plan_gatherv<T>(ranks_, size(own), blocks, root_, in_place_).execute_in_place(buffer); });
    expect_each(
        what("scatterv"), blank(size(own)), own, [&](List& output) { scatterv(ranks_, root_shares, at_root, output, root_); },
        [&](List& output) { iscatterv(ranks_, root_shares, at_root, output, root_).wait(); },
        [&](List& output) { plan_scatterv<T>(ranks_, blocks, size(own), root_).execute(root_shares, output); });
    expect_each(
        what("scatterv in place"), is_root ? shares : blank(size(own)), is_root ? shares : own,
        [&](List& buffer) { scatterv(ranks_, in_place, at_root, buffer, root_); },
        [&](List& buffer) { iscatterv(ranks_, in_place, at_root, buffer, root_).wait(); },
        [&](List& buffer) { plan_scatterv<T>(ranks_, blocks, size(own), root_, in_place_).execute_in_place(buffer); });
  }

  void irregular_reduced() {
    const auto op = combining<T>();
    std::vector<unsigned> counts;
    Count before = 0, all = 0;
    for (Rank rank = 0; rank < p_; ++rank) {
      counts.push_back(static_cast<unsigned>((rank + 1) % 3 * n_));
      if (rank < me_) before += counts.back();
      all += counts.back();
    }
    const List own = elements<T>(me_, all), share = fold(0, p_ - 1, before, counts[index(me_)]);
    expect_each(
        "reduce_scatterv", blank(size(share)), share, [&](List& output) { reduce_scatterv(ranks_, own, output, counts, op); },
        [&](List& output) { ireduce_scatterv(ranks_, own, output, counts, op).wait(); },
        [&](List& output) { plan_reduce_scatterv<T>(ranks_, counts, op).execute(own, output); });
    expect_each(
        "reduce_scatterv in place", own, share, [&](List& buffer) { reduce_scatterv(ranks_, in_place, buffer, counts, op); },
        [&](List& buffer) { ireduce_scatterv(ranks_, in_place, buffer, counts, op).wait(); },
        [&](List& buffer) { plan_reduce_scatterv<T>(ranks_, counts, op, in_place_).execute_in_place(buffer); });
  }

  Ranks ranks_;
  const Rank me_;
  const Count p_, n_;
  const Rank root_;
  const PlanOptions in_place_{.in_place = true};
  std::string wrong_;
};

// Collective. Runs the calls with several types, sizes and roots. Returns what is wrong on this rank.
inline std::string run_typed_calls(Communicator& ranks) {
  std::string wrong;
  const std::unique_ptr<Communicator, void (*)(Communicator*)> pointer(&ranks, [](Communicator*) {});
  const auto run = [&]<class T>(auto& given, T, Count n, Rank root) {
    const std::string found = TypedCalls<T, decltype(given)>(given, n, root).run();
    if (wrong.empty()) wrong = found;
  };
  for (const Rank root : {Rank{0}, ranks.size() - 1}) {
    for (const Count n : {0, 1, 3}) run(ranks, double{}, n, root);
    run(ranks, std::int8_t{}, 5, root);
    run(pointer, Affine{}, 2, root);
    run(ranks, std::complex<float>{}, 4, root);
  }
  return wrong;
}

}  // namespace quadrille::testing
