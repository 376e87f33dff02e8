// SPDX-License-Identifier: BSD-3-Clause
// Tests that the MPI library reads a file of rules and takes Bruck's algorithm because of it. This program defines functions that
// the library calls across the borders of its shared objects. The dynamic linker finds them here first, so the program sees the
// calls.
// Usage: vendor_rules --write ALGORITHM FILE   rules for alltoall of 64 B among five ranks, with this algorithm of the library's
// own
//        vendor_rules                           under mpirun -n 6: prints "5 ranks: 64 B Bruck, 4096 B another" and the like
// With Open MPI the second form also compares the numbers by which rules files name algorithms with those that the library reports.
#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "problem/collective_facts.hpp"
#include "quadrille/transports.hpp"
#include "tune/rules/vendor_rules.hpp"

#ifdef OPEN_MPI
namespace {

bool is_bruck = false;
}

// Open MPI's component "tuned" calls this function of its library.
extern "C" int ompi_coll_base_alltoall_intra_bruck(const void* input, int input_count, void* input_type, void* output,
                                                   int output_count, void* output_type, void* communicator, void* module) {
  using Function = int (*)(const void*, int, void*, void*, int, void*, void*, void*);
  static const auto bruck = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ompi_coll_base_alltoall_intra_bruck"));
  is_bruck = true;
  return bruck(input, input_count, input_type, output, output_count, output_type, communicator, module);
}
#else
namespace {

std::set<void*> endpoints;  // the endpoints to which messages were sent
}

// UCX's function that MPICH calls for each message to another process, if its own shared memory is switched off.
extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* buffer, std::size_t count, std::uint64_t tag,
                                  const void* parameters) {
  using Function = void* (*)(void*, const void*, std::size_t, std::uint64_t, const void*);
  static const auto send = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ucp_tag_send_nbx"));
  endpoints.insert(endpoint);
  return send(endpoint, buffer, count, tag, parameters);
}
#endif

namespace quadrille {
namespace {

constexpr Bytes with_rule = 64, without_rule = 4096;

void check(bool holds, const char* what) {
  if (holds) return;
  fmt::print("failed: {}\n", what);
  std::exit(1);
}

int write_rules(const std::string& algorithm, const std::string& file) {
#ifdef OPEN_MPI
  const VendorRules rules{{{Collective::alltoall, 5}, {{with_rule, algorithm}}}};
  const RulesFile made = openmpi_rules(rules);
#else
  // The program runs with MPIR_CVAR_NOLOCAL, so each rank is a node.
  const VendorRules rules{{{Collective::alltoall, 5, 1}, {{with_rule, algorithm}}},
                          {{Collective::alltoall, 5, 5}, {{without_rule, algorithm}}}};
  std::ifstream library(mpi_library_file("mpich"), std::ios::binary);
  const RulesFile made = mpich_rules(rules, std::string{std::istreambuf_iterator<char>(library), {}});
#endif
  check(made.rules == static_cast<Count>(rules.size()) && made.left_out.empty(), "the rule is not in the file");
  std::ofstream(file) << made.text;
  return 0;
}

#ifdef OPEN_MPI
void compare_numbers(Collective collective) {
  int at = 0, length = 0, unused = 0, count = 0, value = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  char text[256] = "";
  const std::string variable = fmt::format("coll_tuned_{}_algorithm", mpi_name(collective));
  if (MPI_T_cvar_get_index(variable.c_str(), &at) != MPI_SUCCESS) return;
  check(
      MPI_T_cvar_get_info(at, nullptr, &length, &unused, &type, &enumeration, nullptr, &length, &unused, &unused) == MPI_SUCCESS &&
          MPI_T_enum_get_info(enumeration, &count, nullptr, &length) == MPI_SUCCESS,
      "the algorithms are not told");
  for (int i = 0; i < count; ++i) {
    length = sizeof text;
    check(MPI_T_enum_get_item(enumeration, i, &value, text, &length) == MPI_SUCCESS, "an algorithm is not told");
    if (value == 0 || collective == Collective::allgatherv) continue;  // these cannot be tested
    const std::string made = openmpi_rules({{{collective, 4}, {{with_rule, text}}}}).text;
    check(made.find(fmt::format(" {} 4 0  # {}\n", value, text)) != std::string::npos,
          fmt::format("{}'s algorithm {} has the number {}", mpi_name(collective), text, value).c_str());
  }
}
#endif

// Returns which algorithm rank 0 has used. Bruck's algorithm sends to few of the other ranks, any other algorithm to all of them.
std::string_view algorithm_with(Bytes bytes, MPI_Comm communicator) {
  int ranks = 0;
  MPI_Comm_size(communicator, &ranks);
  std::vector<char> input(static_cast<std::size_t>(ranks * bytes)), output(input.size());
  MPI_Barrier(communicator);
#ifdef OPEN_MPI
  is_bruck = false;
#else
  endpoints.clear();
#endif
  MPI_Alltoall(input.data(), static_cast<int>(bytes), MPI_BYTE, output.data(), static_cast<int>(bytes), MPI_BYTE, communicator);
#ifndef OPEN_MPI
  if (endpoints.empty()) return "unseen";
  const bool is_bruck = static_cast<int>(endpoints.size()) < ranks - 1;
#endif
  return is_bruck ? "Bruck" : "another";
}

int observe() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef OPEN_MPI
  int provided = 0;
  check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "MPI_T does not start");
  if (rank == 0)
    for (const Collective collective : all_collectives()) compare_numbers(collective);
#endif
  for (const int ranks : {4, 5, 6}) {
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
    if (some == MPI_COMM_NULL) continue;
    const std::string_view small = algorithm_with(with_rule, some), large = algorithm_with(without_rule, some);
    if (rank == 0) fmt::print("{} ranks: 64 B {}, 4096 B {}\n", ranks, small, large);
    MPI_Comm_free(&some);
  }
  return 0;
}

}  // namespace
}  // namespace quadrille

int main(int argc, char** argv) {
  using namespace quadrille;
  if (argc == 4 && std::string_view(argv[1]) == "--write") return write_rules(argv[2], argv[3]);
  MPI_Init(&argc, &argv);
  const int code = observe();
  MPI_Finalize();
  return code;
}
