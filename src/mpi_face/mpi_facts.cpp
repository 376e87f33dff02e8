// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/mpi_facts.hpp"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string_view>

#include "foundation/environment.hpp"

namespace quadrille::mpi_face {
namespace {

// The libraries of CUDA, HIP and Level Zero by which a program allocates memory of a GPU.
constexpr std::string_view runtimes[] = {"libcudart.so", "libcuda.so", "libamdhip64.so", "libze_loader.so"};

std::atomic<bool> is_loaded{false};
std::atomic<unsigned long long> looked_at{0};  // how many files the process had loaded when no runtime was among them

int look_at(dl_phdr_info* file, std::size_t, void* files) {
  *static_cast<unsigned long long*>(files) = file->dlpi_adds;
  if (file->dlpi_adds == looked_at.load(std::memory_order_relaxed)) return 1;
  const std::string_view path = file->dlpi_name ? file->dlpi_name : "";
  for (const std::string_view runtime : runtimes)
    if (path.substr(path.rfind('/') + 1).starts_with(runtime)) is_loaded.store(true, std::memory_order_relaxed);
  return 0;
}

std::vector<Rank> world_ranks_of(MPI_Comm communicator, int ranks) {
  MPI_Group world = MPI_GROUP_NULL, own = MPI_GROUP_NULL;
  std::vector<int> from(static_cast<std::size_t>(ranks)), to(from.size(), MPI_UNDEFINED);
  std::iota(from.begin(), from.end(), 0);
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS && PMPI_Comm_group(communicator, &own) == MPI_SUCCESS)
    PMPI_Group_translate_ranks(own, ranks, from.data(), world, to.data());
  for (MPI_Group* group : {&world, &own})
    if (*group != MPI_GROUP_NULL) PMPI_Group_free(group);
  std::vector<Rank> members;
  for (const int rank : to) members.push_back(rank == MPI_UNDEFINED ? -1 : rank);
  return members;
}

}  // namespace

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::string line(text);
  line.resize(std::min(line.find_first_of(",\n"), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  constexpr std::string_view label = "Version:";
  if (const std::size_t at = line.find(label); at != std::string::npos)
    line.erase(at, std::min(line.find_first_not_of(' ', at + label.size()), line.size()) - at);
  return line;
}

std::string thread_level() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE     ? "multiple"
         : level == MPI_THREAD_SERIALIZED ? "serialized"
         : level == MPI_THREAD_FUNNELED   ? "funneled"
                                          : "single";
}

std::string name_of(MPI_Comm communicator) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (PMPI_Comm_get_name(communicator, name, &length) != MPI_SUCCESS) return {};
  for (char& letter : name)
    // Control characters would break the lines of a table.
    if (static_cast<unsigned char>(letter) < ' ' && letter != '\0') letter = ' ';
  const std::string_view words(name);
  return std::string(words.starts_with("MPI COMMUNICATOR ") ? std::string_view() : words);
}

KnownCommunicator::KnownCommunicator(MPI_Comm communicator) : handle(communicator) {
  int inter = 0, own = 0, size = 1;
  if (PMPI_Comm_test_inter(communicator, &inter) != MPI_SUCCESS || PMPI_Comm_rank(communicator, &own) != MPI_SUCCESS ||
      PMPI_Comm_size(communicator, &size) != MPI_SUCCESS)
    return;
  rank = own, ranks = size, is_inter = inter != 0;
}

const std::vector<Rank>& KnownCommunicator::world_ranks() const {
  if (!world_ranks_) world_ranks_ = world_ranks_of(handle, static_cast<int>(ranks));
  return *world_ranks_;
}

bool KnownCommunicator::is_of_one_world() const {
  if (!is_of_one_world_)
    is_of_one_world_ = !is_inter && (handle == MPI_COMM_WORLD || std::none_of(world_ranks().begin(), world_ranks().end(),
                                                                              [](Rank member) { return member < 0; }));
  return *is_of_one_world_;
}

const Neighbourhood* KnownCommunicator::neighbours_for(Function function) const {
  if (is_inter || !is_of_neighbours(function)) return nullptr;
  if (!neighbourhood_) neighbourhood_ = std::make_unique<Neighbourhood>(handle);
  return neighbourhood_.get();
}

bool is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

bool may_pass_device_memory() {
  static const bool is_off = tolerated_environment_value("QUADRILLE_GPU_MEMORY") == "off";
  if (is_off || is_loaded.load(std::memory_order_relaxed)) return !is_off;
  unsigned long long files = 0;
  dl_iterate_phdr(look_at, &files);
  looked_at.store(files, std::memory_order_relaxed);
  return is_loaded.load(std::memory_order_relaxed);
}

}  // namespace quadrille::mpi_face
