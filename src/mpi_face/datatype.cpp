// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/datatype.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "foundation/assert.hpp"
#include "foundation/hash.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/report/call_ring.hpp"

namespace quadrille::mpi_face {
namespace {

struct Measures {
  Bytes size = 0, extent = 0, first = 0, true_first = 0, true_extent = 0;
};

bool measure(MPI_Datatype type, Measures& found) {
  MPI_Count size = 0, first = 0, extent = 0, true_first = 0, true_extent = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || PMPI_Type_get_extent_x(type, &first, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent_x(type, &true_first, &true_extent) != MPI_SUCCESS)
    return false;
  found = {size, extent, first, true_first, true_extent};
  return size != MPI_UNDEFINED;
}

bool is_dense(const Measures& found) {
  return found.size == found.extent && found.first == 0 && found.true_first == 0 && found.true_extent == found.size;
}

bool is_plain(MPI_Datatype type);

// Is `type`, which MPI_Type_get_contents has returned as an inner datatype, plain? Frees `type` unless it is predefined, as the
// caller of MPI_Type_get_contents must.
bool is_plain_and_free(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return false;
  const bool plain = is_plain(type);
  const bool is_predefined = combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
                             combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX;
  if (!is_predefined) PMPI_Type_free(&type);
  return plain;
}

// A type is plain if it has no gaps and its constructors keep the order of bytes. Other constructors may change the order, so
// elements of their types are packed.
bool is_plain(MPI_Datatype type) {
  Measures measures;
  if (!measure(type, measures)) return false;
  if (measures.size > 0 && !is_dense(measures)) return false;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return false;
  if (combiner == MPI_COMBINER_NAMED) return true;
  const bool keeps_order = combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_RESIZED;
  if (!keeps_order || types != 1) return false;
  std::vector<int> ints(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> aints(static_cast<std::size_t>(addresses) + 1);
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  if (PMPI_Type_get_contents(type, integers, addresses, types, ints.data(), aints.data(), &inner) != MPI_SUCCESS) return false;
  return is_plain_and_free(inner);
}

ElementType number(char kind, Bytes size) {
  int at = -1;
  const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : size == 16 ? 4 : -1;
  if (kind == 'i' && power >= 0 && power <= 3) at = power;
  if ((kind == 'u' || kind == 'b') && power >= 0 && power <= 3) at = 4 + power;
  if (kind == 'f' && (power == 2 || power == 3)) at = 8 + power - 2;
  if (kind == 'c' && (power == 3 || power == 4)) at = 10 + power - 3;
  if (at < 0) return {};
  return {at + (kind == 'b' ? 16 : 0), element_names[at], at < 8, kind == 'b'};
}

// An element of a type that our operators do not have. The number is computed from `words`, which are equal on all ranks.
ElementType other(std::string_view words) {
  constexpr int first = 32, most = 1 << 30;
  return {.number = first + static_cast<int>(words_hash(words) % most), .name = "?"};
}

std::string name_of_type(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  return PMPI_Type_get_name(type, name, &length) == MPI_SUCCESS ? name : "";
}

// The predefined types and their kinds: 'i' and 'u' are signed and unsigned integers, 'f' floating-point, 'c' complex, 'b' bytes
// (bitwise operators only), '-' types that only MPI's own functions can combine.
const HandleMap<MPI_Datatype, TypeFacts>& predefined_types() {
  static const auto map = [] {
    const std::pair<MPI_Datatype, char> types[] = {
        {MPI_BYTE, 'b'},
        {MPI_CHAR, '-'},
        {MPI_PACKED, '-'},
        {MPI_WCHAR, '-'},
        {MPI_SIGNED_CHAR, 'i'},
        {MPI_UNSIGNED_CHAR, 'u'},
        {MPI_SHORT, 'i'},
        {MPI_UNSIGNED_SHORT, 'u'},
        {MPI_INT, 'i'},
        {MPI_UNSIGNED, 'u'},
        {MPI_LONG, 'i'},
        {MPI_UNSIGNED_LONG, 'u'},
        {MPI_LONG_LONG, 'i'},
        {MPI_UNSIGNED_LONG_LONG, 'u'},
        {MPI_INT8_T, 'i'},
        {MPI_INT16_T, 'i'},
        {MPI_INT32_T, 'i'},
        {MPI_INT64_T, 'i'},
        {MPI_UINT8_T, 'u'},
        {MPI_UINT16_T, 'u'},
        {MPI_UINT32_T, 'u'},
        {MPI_UINT64_T, 'u'},
        {MPI_AINT, 'i'},
        {MPI_COUNT, 'i'},
        {MPI_OFFSET, 'i'},
        {MPI_FLOAT, 'f'},
        {MPI_DOUBLE, 'f'},
        {MPI_LONG_DOUBLE, '-'},
        {MPI_C_FLOAT_COMPLEX, 'c'},
        {MPI_C_DOUBLE_COMPLEX, 'c'},
        {MPI_C_LONG_DOUBLE_COMPLEX, '-'},
        {MPI_C_BOOL, '-'},
        {MPI_CXX_BOOL, '-'},
        {MPI_CXX_FLOAT_COMPLEX, 'c'},
        {MPI_CXX_DOUBLE_COMPLEX, 'c'},
        {MPI_CXX_LONG_DOUBLE_COMPLEX, '-'},
        {MPI_2INT, '-'},
        {MPI_FLOAT_INT, '-'},
        {MPI_DOUBLE_INT, '-'},
        {MPI_LONG_INT, '-'},
        {MPI_SHORT_INT, '-'},
        {MPI_LONG_DOUBLE_INT, '-'},
        {MPI_2INTEGER, '-'},
        {MPI_2REAL, '-'},
        {MPI_2DOUBLE_PRECISION, '-'},
        {MPI_INTEGER, 'i'},
        {MPI_INTEGER1, 'i'},
        {MPI_INTEGER2, 'i'},
        {MPI_INTEGER4, 'i'},
        {MPI_INTEGER8, 'i'},
        {MPI_REAL, 'f'},
        {MPI_DOUBLE_PRECISION, 'f'},
        {MPI_REAL4, 'f'},
        {MPI_REAL8, 'f'},
        {MPI_COMPLEX, 'c'},
        {MPI_DOUBLE_COMPLEX, 'c'},
        {MPI_COMPLEX8, 'c'},
        {MPI_COMPLEX16, 'c'},
        {MPI_LOGICAL, '-'},
        {MPI_CHARACTER, '-'},
    };
    std::vector<std::pair<MPI_Datatype, TypeFacts>> entries;
    for (const auto& [type, kind] : types) {
      Measures measures;
      if (type == MPI_DATATYPE_NULL || !measure(type, measures) || measures.size == 0) continue;  // not in this build of MPI
      ElementType element = number(kind, measures.size);
      if (element.number < 0) element = other(name_of_type(type));
      entries.push_back({type, {true, measures.size, measures.extent, is_dense(measures), element}});
    }
    return HandleMap<MPI_Datatype, TypeFacts>(std::move(entries));
  }();
  return map;
}

// The element of a type that is not in the table: a predefined type that few MPI libraries have, or one made by
// MPI_Type_create_f90_integer and the like. Neither is ever freed.
ElementType element_of(MPI_Datatype type, Bytes size) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return {};
  const char kind = combiner == MPI_COMBINER_F90_INTEGER   ? 'i'
                    : combiner == MPI_COMBINER_F90_REAL    ? 'f'
                    : combiner == MPI_COMBINER_F90_COMPLEX ? 'c'
                                                           : '-';
  if (kind == '-') return combiner == MPI_COMBINER_NAMED ? other(name_of_type(type)) : ElementType{};
  const ElementType element = number(kind, size);
  return element.number < 0 ? other(std::string(1, kind) + std::to_string(size)) : element;
}

class DerivedTypes {
 public:
  static DerivedTypes& get() {
    static auto* const types = new DerivedTypes;  // never destroyed, because MPI's callbacks may come late
    return *types;
  }

  TypeFacts facts(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(bits_of(type)); found != known_.end()) return found->second;
    Measures measures;
    if (!measure(type, measures)) return {};
    const TypeFacts facts{true, measures.size, measures.extent, is_plain(type), element_of(type, measures.size)};
    if (keyval_ == MPI_KEYVAL_INVALID) PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &keyval_, nullptr);
    if (PMPI_Type_set_attr(type, keyval_, nullptr) == MPI_SUCCESS) known_.emplace(bits_of(type), facts);
    return facts;
  }

 private:
  static int forget(MPI_Datatype type, int, void*, void*) {
    DerivedTypes& types = get();
    const std::lock_guard lock(types.mutex_);
    types.known_.erase(bits_of(type));
    return MPI_SUCCESS;
  }

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, TypeFacts> known_;
  int keyval_ = MPI_KEYVAL_INVALID;
};

// Calls `move` for parts of the elements, because MPI's counts end at 2^31 - 1. Arguments of `move`: the part's offsets in the
// user's memory and in packed memory, and its number of elements.
template <class Move>
int in_parts(Count count, const TypeFacts& facts, const Move& move) {
  const Count most = std::max<Count>(1, (Bytes{1} << 30) / std::max<Bytes>(1, facts.size));
  for (Count done = 0; done < count; done += most) {
    const Count part = std::min(most, count - done);
    if (const int code = move(done * facts.extent, done * facts.size, static_cast<int>(part)); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

// Packs by a message of the process to itself.
class PackingByMessage {
 public:
  static PackingByMessage& get() {
    static auto& only = *new PackingByMessage;  // never destroyed: MPI may be finalised before
    return only;
  }

  int pack(const void* elements, int count, MPI_Datatype type, std::byte* bytes, int packed) {
    const std::lock_guard lock(mutex_);
    if (self_ == MPI_COMM_NULL)
      if (const int code = PMPI_Comm_dup(MPI_COMM_SELF, &self_); code != MPI_SUCCESS) return code;
    return PMPI_Sendrecv(elements, count, type, 0, 0, bytes, packed, MPI_PACKED, 0, 0, self_, MPI_STATUS_IGNORE);
  }

 private:
  std::mutex mutex_;
  MPI_Comm self_ = MPI_COMM_NULL;  // a copy, so that no receive of the program matches our messages
};

// Handles elements at MPI_BOTTOM (a null pointer) whose datatype contains absolute addresses. MPICH packs nothing from a null
// pointer. So this class passes the address of the first byte, and a datatype whose displacements are smaller by that address.
class FromFirstByte {
 public:
  FromFirstByte(MPI_Datatype type, const void* elements) : type_(type), elements_(static_cast<const char*>(elements)) {
    MPI_Aint first = 0, extent = 0;
    if (elements || PMPI_Type_get_true_extent(type, &first, &extent) != MPI_SUCCESS) return;
    const int one = 1;
    const MPI_Aint back = -first;
    if (PMPI_Type_create_hindexed(1, &one, &back, type, &moved_) != MPI_SUCCESS || PMPI_Type_commit(&moved_) != MPI_SUCCESS) return;
    type_ = moved_;
    elements_ = reinterpret_cast<const char*>(first);
  }
  ~FromFirstByte() {
    if (moved_ != MPI_DATATYPE_NULL) PMPI_Type_free(&moved_);
  }
  FromFirstByte(const FromFirstByte&) = delete;
  FromFirstByte& operator=(const FromFirstByte&) = delete;

  MPI_Datatype type() const { return type_; }
  const char* elements() const { return elements_; }

 private:
  MPI_Datatype type_, moved_ = MPI_DATATYPE_NULL;
  const char* elements_;
};

}  // namespace

TypeFacts facts_of(MPI_Datatype type) {
  if (const TypeFacts* found = predefined_types().find(type)) [[likely]]
    return *found;
  return type == MPI_DATATYPE_NULL ? TypeFacts{} : DerivedTypes::get().facts(type);
}

bool is_predefined(MPI_Datatype type) { return predefined_types().find(type) != nullptr; }

int pack(const void* elements, Count count, MPI_Datatype type, const TypeFacts& facts, std::byte* bytes, MPI_Comm communicator) {
  if (facts.is_plain) {
    if (count * facts.size > 0) std::memcpy(bytes, elements, static_cast<std::size_t>(count * facts.size));
    return MPI_SUCCESS;
  }
  if (count * facts.size == 0) return MPI_SUCCESS;
  const FromFirstByte source(type, elements);
  return in_parts(count, facts, [&](Bytes from, Bytes to, int part) {
    int position = 0;
    const int packed = static_cast<int>(part * facts.size);
    const int code = PMPI_Pack(source.elements() + from, part, source.type(), bytes + to, packed, &position, communicator);
    // MPICH 4.0.2 packs some derived types only in part if there are more than about 770 of them.
    if (code != MPI_SUCCESS || position == packed) return code;
    return PackingByMessage::get().pack(source.elements() + from, part, source.type(), bytes + to, packed);
  });
}

int unpack(const std::byte* bytes, void* elements, Count count, MPI_Datatype type, const TypeFacts& facts, MPI_Comm communicator) {
  if (facts.is_plain) {
    if (count * facts.size > 0) std::memcpy(elements, bytes, static_cast<std::size_t>(count * facts.size));
    return MPI_SUCCESS;
  }
  if (count * facts.size == 0) return MPI_SUCCESS;
  const FromFirstByte target(type, elements);
  return in_parts(count, facts, [&](Bytes to, Bytes from, int part) {
    int position = 0;
    const int packed = static_cast<int>(part * facts.size);
    const int code =
        PMPI_Unpack(bytes + from, packed, &position, const_cast<char*>(target.elements()) + to, part, target.type(), communicator);
    QUADRILLE_ASSERT(code != MPI_SUCCESS || position == packed);
    return code;
  });
}

}  // namespace quadrille::mpi_face
