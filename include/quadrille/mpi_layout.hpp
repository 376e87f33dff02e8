// SPDX-License-Identifier: BSD-3-Clause
// Layouts made from MPI datatypes, for the MPI library of the including program. Include after <mpi.h> or instead of it.
//
//   MPI_Datatype column;  // of a matrix of 100 rows of `ranks` doubles: one for each rank
//   MPI_Type_vector(100, 1, ranks, MPI_DOUBLE, &column);
//   MPI_Type_create_resized(column, 0, sizeof(double), &column);
//   plan(communicator, Problem::alltoall(ranks, 100 * sizeof(double)),
//        {.algorithm = "direct", .layouts = {.input = layout_of(ranks, column)}});
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// The most pieces in the layout of a datatype; so many pieces take 256 MiB.
inline constexpr Count most_layout_pieces = Count{1} << 24;

namespace mpi_detail {

inline void check_told(int code) {
  if (code != MPI_SUCCESS) throw Error(ErrorCode::transport, "MPI does not tell what this datatype is made of");
}

inline Bytes checked(bool overflows, Bytes result) {
  if (overflows) throw Error(ErrorCode::too_large, "this datatype reaches beyond 2^63 bytes");
  return result;
}

inline Bytes sum(Bytes a, Bytes b) {
  Bytes result = 0;
  const bool overflows = __builtin_add_overflow(a, b, &result);
  return checked(overflows, result);
}

inline Bytes product(Bytes a, Bytes b) {
  Bytes result = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &result);
  return checked(overflows, result);
}

inline Bytes extent_of(MPI_Datatype type) {
  MPI_Count first = 0, extent = 0;
  check_told(MPI_Type_get_extent_x(type, &first, &extent));
  return extent;
}

// The constructor of a datatype and its arguments. MPI returns new handles for the inner types; the destructor frees them.
class TypeContents {
 public:
  explicit TypeContents(MPI_Datatype type) {
    int integer_count = 0, address_count = 0, type_count = 0;
    check_told(MPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner));
    if (is_predefined()) return;
    const auto room = [](int count) { return static_cast<std::size_t>(std::max(count, 1)); };  // MPICH needs an array even for 0
    integers.resize(room(integer_count));
    addresses.resize(room(address_count));
    std::vector<MPI_Datatype> inner(room(type_count), MPI_DATATYPE_NULL);
    check_told(
        MPI_Type_get_contents(type, integer_count, address_count, type_count, integers.data(), addresses.data(), inner.data()));
    inner.resize(static_cast<std::size_t>(type_count));
    types = std::move(inner);
  }
  ~TypeContents() {
    for (MPI_Datatype& type : types) {
      int counts[3] = {}, made_by = MPI_COMBINER_NAMED;
      if (MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &made_by) == MPI_SUCCESS && !is_predefined(made_by))
        MPI_Type_free(&type);
    }
  }
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;

  static bool is_predefined(int combiner) {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX;
  }
  bool is_predefined() const { return is_predefined(combiner); }
  int integer(std::size_t at) const { return integers.at(at); }

  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

// One dimension of an array, and the indices that a type takes from it.
struct ArrayDimension {
  Count length = 0;
  std::vector<std::pair<Count, Count>> taken;  // first index and number of indices of each run
};

// Reads nested datatypes down to the predefined ones.
class TypeReader {
 public:
  // The pieces of one element, relative to its address, in the order of the type map.
  const Layout& pieces_of(MPI_Datatype type) {
    if (const auto known = known_.find(type); known != known_.end()) return known->second;
    if (++depth_ > most_depth) throw Error(ErrorCode::too_large, "a datatype is nested more than 1000 deep");
    Layout pieces = read(type);
    --depth_;
    return known_.emplace(type, std::move(pieces)).first->second;
  }

  // Appends `count` copies of `element`, `stride` bytes apart, the first at `offset`.
  void add(Layout& layout, const Layout& element, Count count, Bytes stride, Bytes offset) {
    if (count <= 0 || element.empty()) return;
    const Bytes last = sum(offset, product(count - 1, stride));
    if (element.size() == 1 && element.front().length == stride) {
      add(layout, {sum(offset, element.front().offset), product(count, stride)});
      return;
    }
    for (const LayoutPiece& piece : element) checked_end({sum(last, piece.offset), piece.length});
    for (Count i = 0; i < count; ++i)
      for (const LayoutPiece& piece : element) add(layout, {sum(offset + i * stride, piece.offset), piece.length});
  }

 private:
  static constexpr int most_depth = 1000;
  static constexpr std::size_t most_types = std::size_t{1} << 18;

  static void checked_end(const LayoutPiece& piece) { sum(piece.offset, piece.length); }

  // Appends a piece; merges it with the last one if they are adjacent.
  void add(Layout& layout, const LayoutPiece& piece) {
    checked_end(piece);
    if (!layout.empty() && layout.back().offset + layout.back().length == piece.offset) {
      layout.back().length += piece.length;
      return;
    }
    if (++held_ > most_layout_pieces)
      throw Error(ErrorCode::too_large, "a datatype is made of more than 2^24 pieces of memory; pack its elements first");
    layout.push_back(piece);
  }

  Layout read(MPI_Datatype type) {
    // All contents stay alive while the reader lives, so that MPI cannot reuse a handle for another type. Open MPI returns a new
    // handle each time, so there an inner type that occurs in several places is read several times.
    if (contents_.size() == most_types) throw Error(ErrorCode::too_large, "a datatype is made of more than 2^18 others");
    const TypeContents& contents = *contents_.emplace_back(std::make_unique<TypeContents>(type));
    if (contents.is_predefined()) return predefined(type);
    switch (contents.combiner) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED: return pieces_of(contents.types.at(0));
      case MPI_COMBINER_CONTIGUOUS: return vector(contents.types.at(0), 1, contents.integer(0), 0);
      case MPI_COMBINER_VECTOR:
      case MPI_COMBINER_HVECTOR: {
        const bool in_bytes = contents.combiner == MPI_COMBINER_HVECTOR;
        const Bytes stride = in_bytes ? contents.addresses.at(0) : product(contents.integer(2), extent_of(contents.types.at(0)));
        return vector(contents.types.at(0), contents.integer(0), contents.integer(1), stride);
      }
      case MPI_COMBINER_INDEXED:
      case MPI_COMBINER_HINDEXED:
      case MPI_COMBINER_INDEXED_BLOCK:
      case MPI_COMBINER_HINDEXED_BLOCK:
      case MPI_COMBINER_STRUCT: return blocks(contents);
      case MPI_COMBINER_SUBARRAY: return subarray(contents);
      case MPI_COMBINER_DARRAY: return distributed_array(contents);
      default:
        throw Error(ErrorCode::misuse, "a datatype was made in a way that is not known here (combiner " +
                                           std::to_string(contents.combiner) + "); make it by a function of MPI 3");
    }
  }

  Layout predefined(MPI_Datatype type) {
    MPI_Count size = 0, first = 0, length = 0;
    check_told(MPI_Type_size_x(type, &size));
    check_told(MPI_Type_get_true_extent_x(type, &first, &length));
    if (size == 0) return {};
    if (size == length) return {{first, size}};
    if (type == MPI_SHORT_INT) return value_and_index<short>();
    if (type == MPI_LONG_INT) return value_and_index<long>();
    if (type == MPI_DOUBLE_INT) return value_and_index<double>();
    if (type == MPI_LONG_DOUBLE_INT) return value_and_index<long double>();
    char name[MPI_MAX_OBJECT_NAME] = "";
    int letters = 0;
    check_told(MPI_Type_get_name(type, name, &letters));
    throw Error(ErrorCode::misuse, "the datatype " + std::string(name) + " has a gap, and MPI does not tell where");
  }

  // The pair types of MPI_MINLOC and MPI_MAXLOC.
  template <class Value>
  Layout value_and_index() {
    struct Pair {
      Value value;
      int index;
    };
    Layout layout;
    add(layout, {0, sizeof(Value)});
    add(layout, {offsetof(Pair, index), sizeof(int)});
    return layout;
  }

  // `stride`: bytes from one block to the next.
  Layout vector(MPI_Datatype element, Count count, Count block_length, Bytes stride) {
    Layout block, layout;
    add(block, pieces_of(element), block_length, extent_of(element), 0);
    add(layout, block, count, stride, 0);
    return layout;
  }

  Layout blocks(const TypeContents& contents) {
    const bool alike = contents.combiner == MPI_COMBINER_INDEXED_BLOCK || contents.combiner == MPI_COMBINER_HINDEXED_BLOCK;
    const bool in_elements = contents.combiner == MPI_COMBINER_INDEXED || contents.combiner == MPI_COMBINER_INDEXED_BLOCK;
    const auto count = static_cast<std::size_t>(contents.integer(0));
    Layout layout;
    for (std::size_t i = 0; i < count; ++i) {
      const MPI_Datatype element = contents.types.at(contents.combiner == MPI_COMBINER_STRUCT ? i : 0);
      const Bytes extent = extent_of(element);
      const Bytes offset = in_elements ? product(contents.integer((alike ? 2 : 1 + count) + i), extent) : contents.addresses.at(i);
      add(layout, pieces_of(element), contents.integer(alike ? 1 : 1 + i), extent, offset);
    }
    return layout;
  }

  Layout subarray(const TypeContents& contents) {
    const auto count = static_cast<std::size_t>(contents.integer(0));
    std::vector<ArrayDimension> dimensions;
    for (std::size_t d = 0; d < count; ++d)
      dimensions.push_back({contents.integer(1 + d), {{contents.integer(1 + 2 * count + d), contents.integer(1 + count + d)}}});
    return array(contents.types.at(0), std::move(dimensions), contents.integer(1 + 3 * count));
  }

  // The process grid of a distributed array is in row-major order, whatever the order of the array's elements.
  Layout distributed_array(const TypeContents& contents) {
    const auto count = static_cast<std::size_t>(contents.integer(2));
    std::vector<ArrayDimension> dimensions(count);
    Count rank = contents.integer(1);
    for (std::size_t d = count; d-- > 0;) {
      const Count processes = contents.integer(3 + 3 * count + d);
      dimensions[d] = distributed(contents.integer(3 + d), contents.integer(3 + count + d), contents.integer(3 + 2 * count + d),
                                  processes, rank % processes);
      rank /= processes;
    }
    return array(contents.types.at(0), std::move(dimensions), contents.integer(3 + 4 * count));
  }

  static ArrayDimension distributed(Count length, int distribution, Count argument, Count processes, Count process) {
    const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG, cyclic = distribution == MPI_DISTRIBUTE_CYCLIC;
    if (distribution == MPI_DISTRIBUTE_NONE) return {length, {{0, length}}};
    const Count block = by_default ? (cyclic ? 1 : ceil_divide(length, processes)) : argument;
    if (cyclic && length / block / processes > most_layout_pieces)
      throw Error(ErrorCode::too_large, "a distributed array has more than 2^24 blocks for one process");
    ArrayDimension dimension{length, {}};
    for (Count first = process * block; first < length; first += processes * block) {
      dimension.taken.emplace_back(first, std::min(block, length - first));
      if (!cyclic) break;
    }
    return dimension;
  }

  Layout array(MPI_Datatype element, std::vector<ArrayDimension> dimensions, int order) {
    if (order == MPI_ORDER_C) std::reverse(dimensions.begin(), dimensions.end());  // the fastest dimension first
    Layout layout = pieces_of(element);
    Bytes stride = extent_of(element);
    for (const ArrayDimension& dimension : dimensions) {
      Layout line;
      for (const auto& [first, count] : dimension.taken) add(line, layout, count, stride, product(first, stride));
      layout = std::move(line);
      stride = product(stride, dimension.length);
    }
    return layout;
  }

  std::map<MPI_Datatype, Layout> known_;
  std::vector<std::unique_ptr<TypeContents>> contents_;
  Count held_ = 0;  // pieces made for all types together
  int depth_ = 0;
};

}  // namespace mpi_detail

// Returns the layout of `count` elements of `type`, relative to the buffer's address. Pieces are in the order of the type map,
// which is also MPI_Pack's order. Elements follow each other at the type's extent, so a whole buffer of an alltoall among p ranks
// with `count` elements per block is layout_of(p * count, type). Adjacent pieces are merged; a layout without data is one piece of
// 0 bytes. Accepts every type that MPI 3 can make, including nested ones, negative lower bounds and strides, committed or not.
// Local; `type` may be freed afterwards.
//
// A type whose pieces overlap can only be read: a plan accepts its layout for an input, and refuses it for an output with
// Error{misuse}.
//
// Throws Error{misuse} for a negative count and MPI_DATATYPE_NULL; Error{too_large} if the result and the types from which `type`
// is made have more than `most_layout_pieces` pieces in total, if there are more than 2^18 such types or they are nested more than
// 1000 deep, or if anything reaches beyond 2^63 bytes; and Error{transport} if MPI reports an error.
inline Layout layout_of(Count count, MPI_Datatype type) {
  if (count < 0) throw Error(ErrorCode::misuse, "the count of elements is " + std::to_string(count) + "; it must be 0 or more");
  if (type == MPI_DATATYPE_NULL) throw Error(ErrorCode::misuse, "MPI_DATATYPE_NULL has no layout; pass a datatype");
  mpi_detail::TypeReader reader;
  Layout layout;
  reader.add(layout, reader.pieces_of(type), count, mpi_detail::extent_of(type), 0);
  if (layout.empty()) layout.push_back({0, 0});  // an empty layout would mean a buffer without gaps
  return layout;
}

}  // namespace quadrille
