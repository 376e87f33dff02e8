// SPDX-License-Identifier: BSD-3-Clause
// Tests every typed call on the ranks of any communicator, with data whose result a plain loop computes. Each rank can compute the
// input of all ranks.
#pragma once

#include <fmt/format.h>

#include <array>
#include <complex>
#include <cstring>
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

template <class T>
auto combining() {
  if constexpr (std::is_same_v<T, Affine>)
    return [](const Affine& a, const Affine& b) { return a * b; };
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

// Runs all calls with elements of type T and blocks of `n` elements. `root` is the root of rooted collectives.
template <class T>
class TypedCalls {
 public:
  TypedCalls(Communicator& ranks, Count n, Rank root) : ranks_(ranks), me_(ranks.rank()), p_(ranks.size()), n_(n), root_(root) {}

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
  void expect(const char* what, const Range& got, const List& expected) {
    if (!wrong_.empty()) return;
    if (std::size(got) != expected.size() ||
        (!expected.empty() && std::memcmp(std::data(got), expected.data(), expected.size() * sizeof(T)) != 0))
      wrong_ = fmt::format("{}: elements of {} B, {} a block, root {}, rank {} of {}", what, sizeof(T), n_, root_, me_, p_);
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
    const List input = elements<T>(me_, p_ * n_);
    List expected, gathered;
    for (Rank from = 0; from < p_; ++from)
      for (Count i = 0; i < n_; ++i) expected.push_back(element<T>(from, me_ * n_ + i)), gathered.push_back(element<T>(from, i));
    List output = blank(p_ * n_);
    alltoall(ranks_, input, output);
    expect("alltoall", output, expected);
    Matrix2D<T> matrix(p_, n_);
    ialltoall(ranks_, std::span(input), matrix).wait();
    expect("ialltoall", matrix, expected);
    output = input;
    alltoall_in_place(ranks_, output);
    expect("alltoall_in_place", output, expected);
    alltoall(ranks_, input, std::span(output), {.algorithm = "shift"});
    expect("alltoall/shift", output, expected);
    auto planned = plan_alltoall<T>(ranks_, n_);
    planned.execute(input, matrix);
    expect("plan_alltoall", matrix, expected);

    allgather(ranks_, std::span(input).first(index(n_)), output);
    expect("allgather", output, gathered);
    output = blank(p_ * n_);
    std::copy_n(input.begin(), n_, output.begin() + me_ * n_);
    iallgather_in_place(ranks_, output).wait();
    expect("iallgather_in_place", output, gathered);
    barrier(ranks_);
    ibarrier(ranks_).wait();
  }

  void spread() {
    const List root_blocks = elements<T>(root_, p_ * n_), own = elements<T>(me_, n_);
    const List first(root_blocks.begin(), root_blocks.begin() + n_);
    List buffer = me_ == root_ ? first : blank(n_);
    broadcast(ranks_, buffer, root_);
    expect("broadcast", buffer, first);
    T value = element<T>(me_, 3);
    broadcast(ranks_, value, root_);
    expect("broadcast of a value", std::span(&value, 1), {element<T>(root_, 3)});
    plan_broadcast<T>(ranks_, n_, root_).execute_in_place(buffer);
    expect("plan_broadcast", buffer, first);

    const List share(root_blocks.begin() + me_ * n_, root_blocks.begin() + (me_ + 1) * n_);
    const List nothing;
    List output = blank(n_);
    scatter(ranks_, me_ == root_ ? root_blocks : nothing, output, root_);
    expect("scatter", output, share);
    buffer = me_ == root_ ? root_blocks : blank(n_);
    iscatter_in_place(ranks_, buffer, root_).wait();
    expect("iscatter_in_place", buffer, me_ == root_ ? root_blocks : share);

    List expected;
    for (Rank from = 0; from < p_; ++from)
      for (Count i = 0; i < n_; ++i) expected.push_back(element<T>(from, i));
    output = blank(me_ == root_ ? p_ * n_ : 0);
    gather(ranks_, own, output, root_);
    expect("gather", output, me_ == root_ ? expected : nothing);
    buffer = me_ == root_ ? blank(p_ * n_) : own;
    if (me_ == root_) std::copy(own.begin(), own.end(), buffer.begin() + me_ * n_);
    gather_in_place(ranks_, buffer, root_);
    expect("gather_in_place", buffer, me_ == root_ ? expected : own);
  }

  void reduce_all() {
    const auto op = combining<T>();
    const List own = elements<T>(me_, n_), expected = fold(0, p_ - 1, 0, n_);
    List output = blank(n_);
    allreduce(ranks_, own, output, op);
    expect("allreduce", output, expected);
    output = own;
    iallreduce_in_place(ranks_, output, op).wait();
    expect("iallreduce_in_place", output, expected);
    const T value = allreduce(ranks_, element<T>(me_, 0), op);
    expect("allreduce of a value", std::span(&value, 1), fold(0, p_ - 1, 0, 1));
    plan_allreduce<T>(ranks_, n_, op).execute(own, output);
    expect("plan_allreduce", output, expected);
    auto in_place = plan_allreduce<T>(ranks_, n_, op, {.in_place = true});
    for (int time = 0; time < 2; ++time) {
      output = own;
      in_place.start_in_place(output).wait();
      expect("plan_allreduce in place", output, expected);
    }
  }

  void reduce_some() {
    const auto op = combining<T>();
    const List own = elements<T>(me_, p_ * n_), expected = fold(0, p_ - 1, 0, p_ * n_), share = fold(0, p_ - 1, me_ * n_, n_);
    List output = blank(me_ == root_ ? p_ * n_ : 0);
    reduce(ranks_, own, output, op, root_);
    expect("reduce", output, me_ == root_ ? expected : List());
    List buffer = own;
    ireduce_in_place(ranks_, buffer, op, root_).wait();
    expect("ireduce_in_place", buffer, me_ == root_ ? expected : own);

    output = blank(n_);
    reduce_scatter(ranks_, own, output, op);
    expect("reduce_scatter", output, share);
    buffer = own;
    reduce_scatter_in_place(ranks_, buffer, op);
    expect("reduce_scatter_in_place", std::span(buffer).first(index(n_)), share);
  }

  void prefixes() {
    const auto op = combining<T>();
    const List own = elements<T>(me_, n_), before = me_ > 0 ? fold(0, me_ - 1, 0, n_) : own;
    List output = blank(n_);
    scan(ranks_, own, output, op);
    expect("scan", output, fold(0, me_, 0, n_));
    output = own;
    iscan_in_place(ranks_, output, op).wait();
    expect("iscan_in_place", output, fold(0, me_, 0, n_));
    const T value = scan(ranks_, element<T>(me_, 0), op);
    expect("scan of a value", std::span(&value, 1), fold(0, me_, 0, 1));
    output = own;
    exscan(ranks_, List(own), output, op);
    expect("exscan", output, before);
    output = own;
    exscan_in_place(ranks_, output, op);
    expect("exscan_in_place", output, before);
  }

  // Returns how many elements rank `from` sends to rank `to`; for some pairs none.
  Count count(Rank from, Rank to) const { return (from * 2 + to * 3) % 4 * n_; }

  void irregular_exchange() {
    std::vector<int> send_counts, send_places, receive_counts;
    std::vector<std::uint64_t> receive_places;
    List input, packed, expected_packed, expected(1, T{});
    for (Rank rank = 0; rank < p_; ++rank) {
      send_counts.push_back(static_cast<int>(count(me_, rank)));
      receive_counts.push_back(static_cast<int>(count(rank, me_)));
      input.push_back(T{});  // a gap
      send_places.push_back(static_cast<int>(input.size()));
      receive_places.push_back(expected.size());
      for (Count i = 0; i < count(me_, rank); ++i)
        input.push_back(element<T>(me_, rank * 10 + i)), packed.push_back(element<T>(me_, rank * 10 + i));
      for (Count i = 0; i < count(rank, me_); ++i)
        expected.push_back(element<T>(rank, me_ * 10 + i)), expected_packed.push_back(element<T>(rank, me_ * 10 + i));
      expected.push_back(T{});
    }
    List output = blank(static_cast<Count>(expected.size()));
    alltoallv(ranks_, input, send_counts, send_places, output, receive_counts, receive_places);
    expect("alltoallv", output, expected);
    output = blank(static_cast<Count>(expected_packed.size()));
    ialltoallv(ranks_, packed, send_counts, output, receive_counts).wait();
    expect("ialltoallv, packed", output, expected_packed);
    plan_alltoallv<T>(ranks_, packed_blocks(send_counts), packed_blocks(receive_counts)).execute(packed, output);
    expect("plan_alltoallv", output, expected_packed);

    std::vector<std::int16_t> counts;  // the same in both directions
    List buffer, exchanged;
    for (Rank rank = 0; rank < p_; ++rank) {
      counts.push_back(static_cast<std::int16_t>(std::min(me_, rank) + n_));
      for (Count i = 0; i < counts.back(); ++i)
        buffer.push_back(element<T>(me_, rank * 10 + i)), exchanged.push_back(element<T>(rank, me_ * 10 + i));
    }
    alltoallv_in_place(ranks_, buffer, counts);
    expect("alltoallv_in_place", buffer, exchanged);
  }

  void irregular_rooted() {
    std::vector<Count> counts, places;
    List shares(1, T{}), spaced;
    for (Rank rank = 0; rank < p_; ++rank) {
      counts.push_back(rank % 3 * n_);
      places.push_back(static_cast<Count>(shares.size()));
      for (Count i = 0; i < counts.back(); ++i) shares.push_back(element<T>(rank, i));
      shares.push_back(T{});
    }
    const std::span<const Count> none;
    const bool is_root = me_ == root_;
    const List own = elements<T>(me_, counts[index(me_)]);
    List output = blank(static_cast<Count>(shares.size()));
    allgatherv(ranks_, own, output, counts, places);
    expect("allgatherv", output, shares);
    output = blank(static_cast<Count>(shares.size()));
    std::copy(own.begin(), own.end(), output.begin() + places[index(me_)]);
    iallgatherv_in_place(ranks_, output, counts, places).wait();
    expect("iallgatherv_in_place", output, shares);
    output = blank(is_root ? static_cast<Count>(shares.size()) : 0);
    gatherv(ranks_, own, output, is_root ? counts : std::vector<Count>{}, is_root ? places : std::vector<Count>{}, root_);
    expect("gatherv", output, is_root ? shares : List());
    output = blank(counts[index(me_)]);
    if (is_root)
      iscatterv(ranks_, shares, counts, places, output, root_).wait();
    else
      iscatterv(ranks_, List(), none, none, output, root_).wait();
    expect("iscatterv", output, own);
    output = is_root ? shares : blank(counts[index(me_)]);
    scatterv_in_place(ranks_, output, counts, places, root_);
    expect("scatterv_in_place", output, is_root ? shares : own);
    plan_scatterv<T>(ranks_, placed_blocks(counts, places), counts[index(me_)], root_).execute(shares, output);
    expect("plan_scatterv", std::span(output).first(own.size()), own);
    output = blank(static_cast<Count>(shares.size()));
    plan_allgatherv<T>(ranks_, placed_blocks(counts, places)).execute(own, output);
    expect("plan_allgatherv", output, shares);
    output = blank(static_cast<Count>(shares.size()));
    plan_gatherv<T>(ranks_, counts[index(me_)], placed_blocks(counts, places), root_).execute(own, output);
    expect("plan_gatherv", output, is_root ? shares : blank(static_cast<Count>(shares.size())));
    output = is_root ? shares : own;
    gatherv_in_place(ranks_, output, counts, places, root_);
    expect("gatherv_in_place", output, is_root ? shares : own);
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
    List output = blank(static_cast<Count>(share.size()));
    reduce_scatterv(ranks_, own, output, counts, op);
    expect("reduce_scatterv", output, share);
    plan_reduce_scatterv<T>(ranks_, packed_blocks(counts), op).execute(own, output);
    expect("plan_reduce_scatterv", output, share);
    List buffer = own;
    ireduce_scatterv_in_place(ranks_, buffer, counts, op).wait();
    expect("ireduce_scatterv_in_place", std::span(buffer).first(share.size()), share);
  }

  Communicator& ranks_;
  const Rank me_;
  const Count p_, n_;
  const Rank root_;
  std::string wrong_;
};

// Collective. Runs the calls with several types, sizes and roots. Returns what is wrong on this rank.
inline std::string run_typed_calls(Communicator& ranks) {
  std::string wrong;
  const auto add = [&](const std::string& found) {
    if (wrong.empty()) wrong = found;
  };
  for (const Rank root : {Rank{0}, ranks.size() - 1}) {
    for (const Count n : {0, 1, 3}) add(TypedCalls<double>(ranks, n, root).run());
    add(TypedCalls<std::int8_t>(ranks, 5, root).run());
    add(TypedCalls<Affine>(ranks, 2, root).run());
    add(TypedCalls<std::complex<float>>(ranks, 4, root).run());
  }
  return wrong;
}

}  // namespace quadrille::testing
