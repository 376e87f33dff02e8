// SPDX-License-Identifier: BSD-3-Clause
// The facts about datatypes: which types are plain, so that their elements are moved without MPI_Pack, and which elements our
// operators can combine; and packing.
#include "mpi_face/datatype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

namespace quadrille::mpi_face {
namespace {

// A datatype that is freed by its destructor.
class Type {
 public:
  template <class Make, class... Arguments>
  explicit Type(Make make, const Arguments&... arguments) {
    make(arguments..., &handle_);
    MPI_Type_commit(&handle_);
  }
  ~Type() { MPI_Type_free(&handle_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

Type every_second_int(int count) { return Type(MPI_Type_vector, count, 1, 2, MPI_INT); }

// The two ints of an element in reverse order, without a gap.
Type reversed_pair() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {4, 0};
  return Type(MPI_Type_create_hindexed, 2, +lengths, +places, MPI_INT);
}

TEST(TypeFacts, OfPredefinedTypesNameTheElementsThatOperatorsKnow) {
  const auto element = [](MPI_Datatype type) { return facts_of(type).element; };
  EXPECT_EQ(facts_of(MPI_INT).size, 4);
  EXPECT_TRUE(facts_of(MPI_INT).is_plain);
  EXPECT_EQ(element(MPI_INT).name, "i32");
  EXPECT_EQ(element(MPI_UINT64_T).name, "u64");
  EXPECT_EQ(element(MPI_DOUBLE).name, "f64");
  EXPECT_EQ(element(MPI_C_FLOAT_COMPLEX).name, "c64");
  EXPECT_TRUE(element(MPI_LONG).is_exact);
  EXPECT_FALSE(element(MPI_FLOAT).is_exact) << "sums of floating-point numbers depend on the order";
  EXPECT_TRUE(element(MPI_BYTE).only_bits);
  EXPECT_FALSE(element(MPI_UNSIGNED_CHAR).only_bits);
  EXPECT_NE(element(MPI_BYTE).number, element(MPI_UINT8_T).number) << "sums of bytes are not defined";
  std::set<int> numbers;
  for (const MPI_Datatype type : {MPI_CHAR, MPI_C_BOOL, MPI_LONG_DOUBLE, MPI_DOUBLE_INT}) {
    EXPECT_EQ(element(type).name, "?") << "only MPI combines them";
    EXPECT_TRUE(numbers.insert(element(type).number).second);
  }
}

// Types of Fortran's kinds are as predefined ones.
TEST(TypeFacts, OfFortransKindsNameTheElements) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_integer(9, &type);
  EXPECT_EQ(facts_of(type).element.name, "i32");
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
  EXPECT_EQ(facts_of(type).element.name, "f64");
  MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &type);
  EXPECT_EQ(facts_of(type).element.name, "c64");
}

TEST(TypeFacts, OfNoTypeAreInvalid) {
  EXPECT_FALSE(facts_of(MPI_DATATYPE_NULL).is_valid);
  EXPECT_TRUE(is_predefined(MPI_INT));
  EXPECT_FALSE(is_predefined(MPI_DATATYPE_NULL));
  EXPECT_FALSE(is_predefined(Type(MPI_Type_contiguous, 2, MPI_INT)));
}

// Elements of a plain type have no gaps, and their bytes are in the order of memory.
TEST(TypeFacts, SayWhichDerivedTypesArePlain) {
  const auto is_plain = [](MPI_Datatype type) { return facts_of(type).is_plain; };
  const Type three(MPI_Type_contiguous, 3, MPI_INT);
  EXPECT_TRUE(is_plain(three));
  EXPECT_EQ(facts_of(three).size, 12);
  EXPECT_EQ(facts_of(three).element.number, -1) << "nobody combines it";
  EXPECT_TRUE(is_plain(Type(MPI_Type_dup, MPI_INT)));
  EXPECT_TRUE(is_plain(Type(MPI_Type_contiguous, 2, MPI_Datatype(three)))) << "of a plain type";

  EXPECT_FALSE(is_plain(every_second_int(2))) << "a gap inside";
  EXPECT_FALSE(is_plain(Type(MPI_Type_create_resized, MPI_INT, MPI_Aint{0}, MPI_Aint{8}))) << "a gap behind";
  EXPECT_TRUE(is_plain(Type(MPI_Type_create_resized, MPI_INT, MPI_Aint{0}, MPI_Aint{4})));
  EXPECT_FALSE(is_plain(Type(MPI_Type_create_resized, MPI_INT, MPI_Aint{-4}, MPI_Aint{4}))) << "it begins elsewhere";
  EXPECT_FALSE(is_plain(reversed_pair())) << "no gap, but another order";
  EXPECT_FALSE(is_plain(Type(MPI_Type_contiguous, 2, MPI_Datatype(reversed_pair()))));
}

TEST(TypeFacts, MeasureSizeAndExtent) {
  const TypeFacts facts = facts_of(every_second_int(3));
  EXPECT_TRUE(facts.is_valid);
  EXPECT_EQ(facts.size, 12);
  EXPECT_EQ(facts.extent, 20);
}

// MPI may give the handle of a freed type to the next one.
TEST(TypeFacts, AreForgottenWithTheType) {
  for (int count = 1; count <= 20; ++count) {
    const Type type(MPI_Type_contiguous, count, MPI_INT);
    EXPECT_EQ(facts_of(type).size, 4 * count);
    EXPECT_EQ(facts_of(type).size, 4 * count) << "the second time from the table";
  }
}

std::vector<int> packed(const void* elements, Count count, MPI_Datatype type) {
  const TypeFacts facts = facts_of(type);
  std::vector<int> bytes(static_cast<std::size_t>(count * facts.size) / sizeof(int));
  EXPECT_EQ(pack(elements, count, type, facts, reinterpret_cast<std::byte*>(bytes.data()), MPI_COMM_SELF), MPI_SUCCESS);
  return bytes;
}

TEST(Packing, FollowsTheTypeMap) {
  std::array<int, 12> numbers;
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(packed(numbers.data(), 3, MPI_INT), (std::vector{0, 1, 2}));
  EXPECT_EQ(packed(numbers.data(), 2, every_second_int(2)), (std::vector{0, 2, 3, 5}));
  EXPECT_EQ(packed(numbers.data(), 2, reversed_pair()), (std::vector{1, 0, 3, 2}));
  EXPECT_TRUE(packed(nullptr, 0, every_second_int(2)).empty());
  EXPECT_TRUE(packed(nullptr, 0, MPI_INT).empty());
}

TEST(Packing, LeavesGapsUntouched) {
  const std::array<int, 4> bytes{10, 20, 30, 40};
  std::array<int, 7> numbers;
  numbers.fill(-1);
  const Type type = every_second_int(2);
  EXPECT_EQ(unpack(reinterpret_cast<const std::byte*>(bytes.data()), numbers.data(), 2, type, facts_of(type), MPI_COMM_SELF),
            MPI_SUCCESS);
  EXPECT_EQ(numbers, (std::array{10, -1, 20, 30, -1, 40, -1}));
}

// MPICH 4.0.2 packs some types only in part if there are about 770.
TEST(Packing, IsRightWithManyTypes) {
  const std::array<int, 8> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  const int length = 5;
  const MPI_Aint place = 8;
  std::vector<std::unique_ptr<Type>> types;
  for (int i = 0; i < 1200; ++i) {
    types.push_back(std::make_unique<Type>(MPI_Type_create_hindexed, 1, &length, &place, MPI_INT));
    ASSERT_EQ(packed(numbers.data(), 1, *types.back()), (std::vector{3, 4, 5, 6, 7})) << i;
  }
}

// A type of absolute addresses has its elements at MPI_BOTTOM, a null pointer.
TEST(Packing, ReadsAndWritesAbsoluteAddresses) {
  std::array<int, 4> numbers{1, 2, 3, 4};
  MPI_Aint places[2];
  MPI_Get_address(&numbers[3], &places[0]);
  MPI_Get_address(&numbers[1], &places[1]);
  const int lengths[] = {1, 1};
  const Type type(MPI_Type_create_hindexed, 2, +lengths, +places, MPI_INT);
  EXPECT_EQ(packed(MPI_BOTTOM, 1, type), (std::vector{4, 2}));
  const std::array<int, 2> bytes{40, 20};
  EXPECT_EQ(unpack(reinterpret_cast<const std::byte*>(bytes.data()), MPI_BOTTOM, 1, type, facts_of(type), MPI_COMM_SELF),
            MPI_SUCCESS);
  EXPECT_EQ(numbers, (std::array{1, 20, 3, 40}));
}

}  // namespace
}  // namespace quadrille::mpi_face
