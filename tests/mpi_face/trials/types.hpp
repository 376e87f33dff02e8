// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes whose layout is known: the offsets of their items, in the order of the signature.
#pragma once

#include <memory>
#include <string>

#include "values.hpp"

namespace quadrille::trials {

using Signature = std::vector<Primitive>;  // of one unit; a type consists of several units

struct Item {
  std::ptrdiff_t offset;
  Primitive primitive;
};

struct Type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  bool made = false;  // true if the handle must be freed
  std::vector<Item> items;
  std::ptrdiff_t lower = 0, upper = 0;  // bounds of the items' bytes
  std::ptrdiff_t extent = 0;            // at least upper - lower, so that elements never overlap
  std::string name;

  Type() = default;
  Type(const Type&) = delete;
  ~Type() { free(); }
  void free() {
    if (made) MPI_Type_free(&handle);
    made = false;
  }
};
using TypePointer = std::shared_ptr<Type>;

inline TypePointer type_of(MPI_Datatype handle, bool made, std::vector<Item> items, std::string name) {
  auto type = std::make_shared<Type>();
  type->handle = handle;
  type->made = made;
  type->items = std::move(items);
  type->name = std::move(name);
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(handle, &lower, &extent);
  type->extent = extent;
  bool first = true;
  for (const Item& item : type->items) {
    type->lower = first ? item.offset : std::min(type->lower, item.offset);
    type->upper = first ? item.offset + bytes_of(item.primitive) : std::max(type->upper, item.offset + bytes_of(item.primitive));
    first = false;
  }
  return type;
}

inline void append(std::vector<Item>& items, const Type& type, std::ptrdiff_t by) {
  for (const Item& item : type.items) items.push_back({item.offset + by, item.primitive});
}

// A type for one unit: a predefined type, or a structure with members in any order and with gaps.
inline TypePointer unit_type(const Signature& signature, Random& random) {
  if (signature.size() == 1)
    return type_of(handle_of(signature[0]), false, {{0, signature[0]}}, "p" + std::to_string(static_cast<int>(signature[0])));
  std::vector<std::size_t> order(signature.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<Count>(i)))]);
  std::vector<MPI_Aint> places(signature.size());
  MPI_Aint end = 0;
  for (const std::size_t i : order) {
    const int bytes = bytes_of(signature[i]);
    end = (end + bytes - 1) / bytes * bytes + (random.one_in(3) ? bytes : 0);
    places[i] = end;
    end += bytes;
  }
  std::vector<int> lengths(signature.size(), 1);
  std::vector<MPI_Datatype> types;
  std::vector<Item> items;
  std::string name = "struct";
  for (std::size_t i = 0; i < signature.size(); ++i) {
    name += (i ? ",p" : " p") + std::to_string(static_cast<int>(signature[i]));
    types.push_back(handle_of(signature[i]));
    items.push_back({places[i], signature[i]});
  }
  MPI_Datatype handle;
  MPI_Type_create_struct(static_cast<int>(signature.size()), lengths.data(), places.data(), types.data(), &handle);
  return type_of(handle, true, std::move(items), name);
}

// Wraps the type: with another lower bound and more room behind, or only with another handle.
inline TypePointer wrapped(TypePointer type, Random& random) {
  if (type->extent <= 0 || type->items.empty()) return type;
  MPI_Datatype handle;
  if (random.one_in(3)) {
    MPI_Type_dup(type->handle, &handle);
    return type_of(handle, true, type->items, "dup(" + type->name + ")");
  }
  const std::ptrdiff_t grain = 16;
  const std::ptrdiff_t lower = grain * (random.below(5) - 3);
  const std::ptrdiff_t extent = (type->upper - type->lower + grain - 1) / grain * grain + grain * random.below(3);
  MPI_Type_create_resized(type->handle, lower, extent, &handle);
  return type_of(handle, true, type->items, "resized(" + type->name + ")");
}

// `units` copies of the type, made by one of MPI's constructors.
inline TypePointer repeated(const Type& type, int units, Random& random) {
  std::vector<Item> items;
  MPI_Datatype handle;
  const std::string inner = std::to_string(units) + " " + type.name;
  switch (random.below(6)) {
    case 0: {
      MPI_Type_contiguous(units, type.handle, &handle);
      for (int i = 0; i < units; ++i) append(items, type, i * type.extent);
      return type_of(handle, true, std::move(items), "contiguous(" + inner + ")");
    }
    case 1: {  // also with negative strides
      int stride = static_cast<int>(random.below(3) + 1) * (random.one_in(4) ? -1 : 1);
#ifdef OPEN_MPI  // Open MPI 4.1.4 takes two neighbours as one piece, even if the second one comes first
      if (stride == -1) stride = 1;
#endif
      MPI_Type_vector(units, 1, stride, type.handle, &handle);
      for (int i = 0; i < units; ++i) append(items, type, i * stride * type.extent);
      return type_of(handle, true, std::move(items), "vector(" + inner + ")");
    }
    case 2: {  // in reverse order
      std::vector<int> places;
      const int step = static_cast<int>(random.below(2) + 1);
      for (int i = 0; i < units; ++i) places.push_back((units - 1 - i) * step);
      MPI_Type_create_indexed_block(units, 1, places.data(), type.handle, &handle);
      for (const int place : places) append(items, type, place * type.extent);
      return type_of(handle, true, std::move(items), "reversed(" + inner + ")");
    }
    case 3: {  // two pieces, the second one first, and an empty one
      const int first = static_cast<int>(random.below(units + 1));
      const int lengths[] = {first, 0, units - first}, places[] = {units - first + 1, 0, 0};
      MPI_Type_indexed(3, lengths, places, type.handle, &handle);
      for (int i = 0; i < first; ++i) append(items, type, (places[0] + i) * type.extent);
      for (int i = first; i < units; ++i) append(items, type, (i - first) * type.extent);
      return type_of(handle, true, std::move(items), "indexed(" + inner + ")");
    }
    case 4: {
      const int size = units + 3, from = static_cast<int>(random.below(4));
      MPI_Type_create_subarray(1, &size, &units, &from, MPI_ORDER_C, type.handle, &handle);
      for (int i = 0; i < units; ++i) append(items, type, (from + i) * type.extent);
      return type_of(handle, true, std::move(items), "subarray(" + inner + ")");
    }
    default: {
      std::vector<MPI_Aint> places;
      const std::ptrdiff_t stride = type.extent + 16 * random.below(2);
      for (int i = 0; i < units; ++i) places.push_back(i * stride - 32);
      MPI_Type_create_hindexed_block(units, 1, places.data(), type.handle, &handle);
      for (const MPI_Aint place : places) append(items, type, place);
      return type_of(handle, true, std::move(items), "hindexed(" + inner + ")");
    }
  }
}

// A random type of this many units.
inline TypePointer random_type(const Signature& signature, int units, bool plain, Random& random) {
  TypePointer type = unit_type(signature, random);
  if (!plain && random.one_in(4)) type = wrapped(type, random);
  if (units > 1 || (!plain && random.one_in(4))) type = repeated(*type, units, random);
  if (!plain && random.one_in(3)) type = wrapped(type, random);
  if (type->made) MPI_Type_commit(&type->handle);
  return type;
}

// MPICH 4.2.1 divides by zero in MPI_Bcast, MPI_Scatter and MPI_Alltoall if a type without items has an extent. (4.0.2 does not.)
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40100000
constexpr bool empty_types_have_extents = false;
#else
constexpr bool empty_types_have_extents = true;
#endif

// A type without items, but perhaps with an extent.
inline TypePointer empty_type(Random& random) {
  MPI_Datatype handle;
  MPI_Type_contiguous(0, MPI_INT, &handle);
  if (random.one_in(2) && empty_types_have_extents) {
    MPI_Datatype inner = handle;
    MPI_Type_create_resized(inner, 0, 8, &handle);
    MPI_Type_free(&inner);
  }
  MPI_Type_commit(&handle);
  return type_of(handle, true, {}, "empty");
}

}  // namespace quadrille::trials
