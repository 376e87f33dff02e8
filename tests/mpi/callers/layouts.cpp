// SPDX-License-Identifier: BSD-3-Clause
// Tests layouts made from MPI datatypes. Layouts of random types contain the same bytes in the same order as MPI_Pack writes, and a
// plan with such layouts delivers the same as MPI_Alltoall with the types. Usage, under mpirun: layouts [--types N] [--seed S]
#include "quadrille/mpi_layout.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "quadrille/mpi.hpp"

namespace quadrille::testing {
namespace {

constexpr Bytes most_bytes = 1 << 20;  // limit of the bytes that elements of a random type may span

[[noreturn]] void fail(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void expect_error(const std::string& what, ErrorCode code, const std::string& words, const std::function<void()>& call) {
  std::string said = "nothing";
  try {
    call();
  } catch (const Error& error) {
    said = error.what();
    if (error.code() == code && said.find(words) != std::string::npos) return;
  }
  fail(fmt::format("{}: said '{}'", what, said));
}

void expect_pieces(const std::string& what, const Layout& found, const Layout& expected) {
  if (found == expected) return;
  std::string text;
  for (const auto& [offset, length] : found) text += fmt::format(" {}:{}", offset, length);
  fail(fmt::format("{}: the pieces are{}", what, text));
}

// A datatype that is freed by its destructor.
class Type {
 public:
  template <class Make, class... Arguments>
  explicit Type(Make make, const Arguments&... arguments) {
    if (make(arguments..., &handle_) != MPI_SUCCESS || MPI_Type_commit(&handle_) != MPI_SUCCESS) fail("MPI makes no such datatype");
  }
  ~Type() { MPI_Type_free(&handle_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

struct Span {
  MPI_Count size = 0, first = 0, extent = 0, true_first = 0, true_extent = 0;
};

Span span_of(MPI_Datatype type) {
  Span span;
  MPI_Type_size_x(type, &span.size);
  MPI_Type_get_extent_x(type, &span.first, &span.extent);
  MPI_Type_get_true_extent_x(type, &span.true_first, &span.true_extent);
  return span;
}

// Draws random types. The text of each says how it was made, innermost type last.
class RandomTypes {
 public:
  explicit RandomTypes(std::uint64_t seed) : random_(seed) {}
  ~RandomTypes() { clear(); }
  RandomTypes(const RandomTypes&) = delete;
  RandomTypes& operator=(const RandomTypes&) = delete;

  std::string text;

  MPI_Datatype make(int depth) {
    clear();
    text.clear();
    const MPI_Datatype type = nested(depth);
    MPI_Datatype committed = MPI_DATATYPE_NULL;
    MPI_Type_dup(type, &committed);
    MPI_Type_commit(&committed);
    made_.push_back(committed);
    return committed;
  }

  int between(int least, int most) { return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1)); }

 private:
  void clear() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
    made_.clear();
  }

  std::vector<int> several(int count, int least, int most) {
    std::vector<int> list(static_cast<std::size_t>(count));
    for (int& entry : list) entry = between(least, most);
    text += '[';
    for (const int entry : list) text += fmt::format("{} ", entry);
    text += ']';
    return list;
  }

  MPI_Datatype predefined() {
    const MPI_Datatype types[] = {MPI_CHAR,      MPI_SHORT,      MPI_INT,       MPI_DOUBLE,   MPI_LONG_DOUBLE,
                                  MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_LONG_INT, MPI_LONG_DOUBLE_INT,
                                  MPI_BYTE,      MPI_INT64_T,    MPI_C_BOOL,    MPI_2INT,     MPI_UNSIGNED};
    const int number = between(0, static_cast<int>(std::size(types)) - 1);
    char name[MPI_MAX_OBJECT_NAME] = "";
    int letters = 0;
    MPI_Type_get_name(types[number], name, &letters);
    text += name;
    return types[number];
  }

  MPI_Datatype nested(int depth) {
    if (depth == 0) return predefined();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int code = between(0, 3) < 3 ? strided(depth, type) : array(depth, type);
    if (code != MPI_SUCCESS) {  // Open MPI 4.1.4 refuses some distributed arrays
      if (text.find("darray") == std::string::npos) fail("MPI does not make " + text);
      text += " which MPI does not make, but ";
      return predefined();
    }
    made_.push_back(type);
    return type;
  }

  int strided(int depth, MPI_Datatype& type) {
    const int count = between(0, 4), length = between(0, 3), stride = between(-5, 5);
    const int kind = between(0, 9);
    text += fmt::format("{} of {} by {} {}",
                        std::array{"contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "hindexed_block",
                                   "struct", "resized", "dup"}[static_cast<std::size_t>(kind)],
                        count, length, stride);
    const std::vector<int> lengths = several(count, 0, 3), displacements = several(count, -6, 6);
    std::vector<MPI_Aint> offsets;
    for (const int displacement : displacements) offsets.push_back(displacement * 7);
    if (kind == 7) return structure(depth, lengths, offsets, type);
    const MPI_Datatype inner = nested(depth - 1);
    switch (kind) {
      case 0: return MPI_Type_contiguous(count, inner, &type);
      case 1: return MPI_Type_vector(count, length, stride * span_of(inner).extent == -1 ? 0 : stride, inner, &type);
      case 2: return MPI_Type_create_hvector(count, length, stride * 5, inner, &type);
      case 3: return MPI_Type_indexed(count, lengths.data(), displacements.data(), inner, &type);
      case 4: return MPI_Type_create_hindexed(count, lengths.data(), offsets.data(), inner, &type);
      case 5: return MPI_Type_create_indexed_block(count, length, displacements.data(), inner, &type);
      case 6: return MPI_Type_create_hindexed_block(count, length, offsets.data(), inner, &type);
      case 8: return resized(inner, type);
      default: return MPI_Type_dup(inner, &type);
    }
  }

  // Avoids known errors. Open MPI 4.1.4 treats an extent or stride of -1 byte as if none were given. MPICH 4.0.2 packs elements of
  // negative extent with another extent than it reports, and divides by zero.
  int resized(MPI_Datatype inner, MPI_Datatype& type) {
    const int first = between(-9, 9);
    int extent = between(-30, 60);
    if (extent == -1 || (extent < 0 && mpi_library == "mpich")) extent = -extent;
    text += fmt::format(" (from {} on, {} long)", first, extent);
    return MPI_Type_create_resized(inner, first, extent, &type);
  }

  int structure(int depth, const std::vector<int>& lengths, const std::vector<MPI_Aint>& offsets, MPI_Datatype& type) {
    std::vector<MPI_Datatype> inner;
    text += '{';
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      inner.push_back(i > 0 && between(0, 2) == 0 ? inner.back() : nested(depth - 1));
      if (span_of(inner.back()).size == 0) inner.back() = MPI_SHORT;  // Open MPI 4.1.4 packs with another extent than it reports
      text += ", ";
    }
    text += '}';
    return MPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), inner.data(), &type);
  }

  int array(int depth, MPI_Datatype& type) {
    const int dimensions = between(1, 3), order = between(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const bool distributed = between(0, 2) == 0;
    text += fmt::format("{} of {} in {} ", distributed ? "darray" : "subarray", dimensions, order == MPI_ORDER_C ? "C" : "Fortran");
    const std::vector<int> sizes = several(dimensions, 1, 5);
    std::vector<int> first, second, third;
    int processes = 1;
    for (const int size : sizes) {
      if (!distributed) {
        first.push_back(between(1, size));
        second.push_back(between(0, size - first.back()));
        continue;
      }
      const int kind = between(0, 2);
      third.push_back(kind == 0 ? 1 : between(1, 3));
      processes *= third.back();
      first.push_back(std::array{MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}[static_cast<std::size_t>(kind)]);
      second.push_back(kind == 2 && between(0, 1) == 0 ? between(1, 3) : MPI_DISTRIBUTE_DFLT_DARG);
    }
    const int process = between(0, processes - 1);
    for (const auto* list : {&first, &second, &third})
      for (const int entry : *list) text += fmt::format("{} ", entry);
    text += fmt::format("process {} of ", process);
    const MPI_Datatype inner = nested(depth - 1);
    if (!distributed) return MPI_Type_create_subarray(dimensions, sizes.data(), first.data(), second.data(), order, inner, &type);
    return MPI_Type_create_darray(processes, process, dimensions, sizes.data(), first.data(), second.data(), third.data(), order,
                                  inner, &type);
  }

  std::mt19937_64 random_;
  std::vector<MPI_Datatype> made_;
};

// Compares with MPI_Pack. Returns false, without comparing, if the type is larger than the limit.
bool packs_alike(MPI_Datatype type, Count count, const std::string& text) {
  const Span span = span_of(type);
  const Bytes stretch = (count - 1) * span.extent;
  const Bytes first = span.true_first + std::min<Bytes>(0, stretch);
  const Bytes last = span.true_first + span.true_extent + std::max<Bytes>(0, stretch);
  if (span.size * count > most_bytes || last - first > most_bytes) return false;
  const Layout layout = layout_of(count, type);
  std::vector<char> memory(static_cast<std::size_t>(std::max<Bytes>(1, last - first)));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>((i * 2654435761u) >> 13);
  const char* elements = memory.data() - first;
  // Packs twice, into different initial contents, since MPICH does not write the padding bytes of a long double.
  std::vector<char> packed[] = {std::vector<char>(static_cast<std::size_t>(span.size * count) + 1, 0), {}}, found;
  packed[1].assign(packed[0].size(), 1);
  for (std::vector<char>& bytes : packed) {
    int position = 0;
    if (MPI_Pack(elements, static_cast<int>(count), type, bytes.data(), static_cast<int>(bytes.size()), &position, MPI_COMM_SELF) !=
        MPI_SUCCESS)
      fail("MPI does not pack " + text);
    bytes.resize(static_cast<std::size_t>(position));
  }
  Bytes end = 0;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const auto [offset, length] = layout[i];
    if (length > 0 && (offset < first || offset + length > last)) fail("bytes beyond the elements: " + text);
    if (length == 0 && layout.size() > 1) fail("a piece without bytes: " + text);
    if (i > 0 && offset == end) fail("adjacent pieces: " + text);
    found.insert(found.end(), elements + offset, elements + offset + length);
    end = offset + length;
  }
  bool alike = found.size() == packed[0].size();
  for (std::size_t i = 0; alike && i < found.size(); ++i) alike = packed[0][i] != packed[1][i] || found[i] == packed[0][i];
  if (!alike) fail(fmt::format("{} elements, {} pieces, are not what MPI packs: {}", count, layout.size(), text));
  return true;
}

void compare_random_types(int types, std::uint64_t seed) {
  int looked_at = 0;
  for (int i = 0; i < types; ++i) {
    RandomTypes random(seed + static_cast<std::uint64_t>(i));
    const MPI_Datatype type = random.make(random.between(0, 3));
    const std::string text = fmt::format("--types 1 --seed {}: {}", seed + static_cast<std::uint64_t>(i), random.text);
    looked_at += packs_alike(type, random.between(1, 4), text) ? 1 : 0;
  }
  if (looked_at < types * 9 / 10) fail(fmt::format("only {} of {} types were looked at", looked_at, types));
}

void tell_pieces_and_refusals() {
  expect_pieces("no elements", layout_of(0, MPI_INT), {{0, 0}});
  expect_pieces("many", layout_of(Count{1} << 40, MPI_DOUBLE), {{0, Count{8} << 40}});
  const Type column(MPI_Type_vector, 3, 1, 4, MPI_INT), column_of_matrix(MPI_Type_create_resized, column, 0, 4);
  expect_pieces("columns", layout_of(2, column_of_matrix), {{0, 4}, {16, 4}, {32, 4}, {4, 4}, {20, 4}, {36, 4}});
  const Type backwards(MPI_Type_create_hvector, 2, 1, -8, MPI_INT);
  expect_pieces("backwards", layout_of(1, backwards), {{0, 4}, {-8, 4}});
  const Type huge(MPI_Type_vector, 1 << 30, 1, 2, MPI_CHAR), sparse(MPI_Type_create_resized, MPI_CHAR, 0, 1 << 30);
  expect_error("a type of many pieces", ErrorCode::too_large, "2^24 pieces", [&] { layout_of(1, huge); });
  expect_error("far away", ErrorCode::too_large, "2^63", [&] { layout_of(Count{1} << 40, sparse); });
  expect_error("no type", ErrorCode::misuse, "MPI_DATATYPE_NULL", [] { layout_of(1, MPI_DATATYPE_NULL); });
  expect_error("a negative count", ErrorCode::misuse, "is -1", [] { layout_of(-1, MPI_INT); });
}

// Each type contains the one before twice, so there are 2^levels paths to the innermost.
Layout doubled_char(int levels) {
  std::vector<MPI_Datatype> doubled{MPI_CHAR};
  for (int i = 0; i < levels; ++i) {
    const int lengths[] = {1, 1};
    const MPI_Aint offsets[] = {0, MPI_Aint{1} << i};
    const MPI_Datatype both[] = {doubled.back(), doubled.back()};
    MPI_Type_create_struct(2, lengths, offsets, both, &doubled.emplace_back());
  }
  std::optional<Layout> layout;
  try {
    layout = layout_of(1, doubled.back());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
  }
  for (std::size_t i = doubled.size(); --i > 0;) MPI_Type_free(&doubled[i]);
  return layout.value_or(Layout{});
}

void read_types_in_many_places() {
  expect_pieces("doubled", doubled_char(12), {{0, 4096}});
  const Layout most = doubled_char(30);  // Open MPI does not report that both inner types are the same
  if (!most.empty()) expect_pieces("doubled more often", most, {{0, Bytes{1} << 30}});
}

// Each rank has a matrix with one column per rank. The columns are exchanged into packed blocks, and then back.
void exchange_columns() {
  constexpr int rows = 50;
  const auto ranks = over(MPI_COMM_WORLD);
  const int p = static_cast<int>(ranks->size());
  const Type stride(MPI_Type_vector, rows, 1, p, MPI_INT), column(MPI_Type_create_resized, stride, 0, 4);
  const Problem problem = Problem::alltoall(p, rows * static_cast<Bytes>(sizeof(int)));
  std::vector<int> matrix(static_cast<std::size_t>(rows * p)), expected(matrix.size()), found(matrix.size()), back(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<int>(ranks->rank()) * 100'000 + static_cast<int>(i);
  MPI_Alltoall(matrix.data(), 1, column, expected.data(), rows, MPI_INT, MPI_COMM_WORLD);
  for (const Executor executor : {Executor::automatic, Executor::mpi})
    for (const char* algorithm : {"direct", "bruck"}) {
      Plan there =
          plan(*ranks, problem, {.algorithm = algorithm, .executor = executor, .layouts = {.input = layout_of(p, column)}});
      Plan home = plan(*ranks, problem,
                       {.algorithm = algorithm,
                        .executor = executor,
                        .layouts = {.input = layout_of(rows * p, MPI_INT), .output = layout_of(p, column)}});
      std::fill(found.begin(), found.end(), -1);
      there.execute(matrix.data(), found.data());
      if (found != expected) fail(fmt::format("{}: not what MPI_Alltoall delivers", algorithm));
      home.execute(found.data(), back.data());
      if (back != matrix) fail(fmt::format("{}: the way back is another", algorithm));
    }
  const Type repeated(MPI_Type_vector, rows, 1, 0, MPI_INT);
  const Layout same = layout_of(p, repeated);
  Plan read = plan(*ranks, problem, {.algorithm = "direct", .layouts = {.input = same}});
  read.execute(matrix.data(), found.data());
  expect_error("an output that repeats memory", ErrorCode::misuse, "overlap",
               [&] { plan(*ranks, problem, {.algorithm = "direct", .layouts = {.output = same}}); });
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille::testing;
  MPI_Init(&count, &arguments);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int types = 3000;
  std::uint64_t seed = 21;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--types") == 0) types = std::atoi(arguments[i + 1]);
    if (std::strcmp(arguments[i], "--seed") == 0) seed = std::strtoull(arguments[i + 1], nullptr, 10);
  }
  try {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) tell_pieces_and_refusals();
    if (rank == 0) read_types_in_many_places();
    if (rank == 0) compare_random_types(types, seed);
    exchange_columns();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  MPI_Finalize();
}
