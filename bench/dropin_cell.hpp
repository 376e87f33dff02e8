// SPDX-License-Identifier: BSD-3-Clause
// One collective of dropin_mpi.cpp, which calls it both as MPI_X and as PMPI_X.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace quadrille::bench {

using Bytes = std::int64_t;

#ifdef OPEN_MPI
constexpr const char* mpi_name = "openmpi";
#else
constexpr const char* mpi_name = "mpich";
#endif

struct World {
  int rank = 0, ranks = 1;
};

inline World world() {
  World found;
  PMPI_Comm_rank(MPI_COMM_WORLD, &found.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &found.ranks);
  return found;
}

struct Functions {
  decltype(&MPI_Alltoall) alltoall;
  decltype(&MPI_Alltoallv) alltoallv;
  decltype(&MPI_Allgather) allgather;
  decltype(&MPI_Allreduce) allreduce;
  decltype(&MPI_Bcast) bcast;
};

enum Way { vendors, drop_ins };
inline const Functions functions[] = {{PMPI_Alltoall, PMPI_Alltoallv, PMPI_Allgather, PMPI_Allreduce, PMPI_Bcast},
                                      {MPI_Alltoall, MPI_Alltoallv, MPI_Allgather, MPI_Allreduce, MPI_Bcast}};

enum class What { alltoall, alltoallv, allgather, allreduce, bcast };
struct Kind {
  What what;
  const char* collective;
  const char* pattern;  // pattern of an alltoallv
};
constexpr Kind kinds[] = {{What::alltoall, "alltoall", ""},           {What::alltoallv, "alltoallv", "equal"},
                          {What::alltoallv, "alltoallv", "spike"},    {What::alltoallv, "alltoallv", "transpose"},
                          {What::alltoallv, "alltoallv", "changing"}, {What::allgather, "allgather", ""},
                          {What::allreduce, "allreduce", ""},         {What::bcast, "bcast", ""}};

inline std::string name_of(const Kind& kind) {
  return kind.pattern[0] ? std::string(kind.collective) + "/" + kind.pattern : kind.collective;
}

constexpr int variants = 16;  // number of variants of the counts, used in turn by patterns that change

inline Bytes size_of(const std::string& pattern, Bytes mean, int from, int to, int p, int variant) {
  if (pattern == "equal") return mean;
  if (pattern == "spike") return from == 0 && to == p - 1 ? p * mean : mean / 8;
  if (pattern == "transpose") return to == p - 1 - from ? mean : 0;
  auto x = static_cast<std::uint64_t>((from * p + to) * variants + variant + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<Bytes>((x >> 33) % static_cast<std::uint64_t>(2 * mean + 1));
}

// A collective at one size, on a communicator of its own, over one pair of buffers.
class Cell {
 public:
  // `bytes` is the size of a block, of the vector, or the mean of an alltoallv.
  Cell(const Kind& kind, Bytes bytes) : kind_(kind), bytes_(static_cast<int>(bytes)) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    Bytes most = bytes * here_.ranks;
    if (kind.what == What::alltoallv)
      for (int variant = 0; variant < (kind_.pattern == std::string("changing") ? variants : 1); ++variant)
        most = std::max(most, add_counts(variant));
    // Small whole numbers as doubles: their sums are exact in any order.
    input_.resize(static_cast<std::size_t>(most + 7) / 8);
    for (std::size_t i = 0; i < input_.size(); ++i)
      input_[i] = static_cast<double>((i + static_cast<std::size_t>(here_.rank)) % 97);
    output_.resize(input_.size());
  }
  ~Cell() { PMPI_Comm_free(&communicator_); }
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  void run(Way way, long calls) {
    for (long i = 0; i < calls; ++i) call(functions[way], static_cast<std::size_t>(i), bytes_);
  }

  // Runs the collective with the sizes 8, 16 ... 8 * `sizes` bytes in turn.
  void run_sizes(Way way, int sizes) {
    for (int i = 1; i <= sizes; ++i) call(functions[way], 0, 8 * i);
  }

  // Waits for all ranks. The drop-in makes plans for rooted collectives only inside synchronising calls such as this one.
  void synchronise() { MPI_Barrier(communicator_); }

  // Runs each variant of the counts both ways, and compares the results.
  bool is_right() {
    for (std::size_t variant = 0; variant < std::max<std::size_t>(counts_.size(), 1); ++variant) {
      std::vector<double> results[2];
      for (const Way way : {vendors, drop_ins}) {
        std::fill(output_.begin(), output_.end(), -1.0);
        call(functions[way], variant, bytes_);
        results[way] = output_;
      }
      if (results[0] != results[1]) return false;
    }
    return true;
  }

 private:
  struct Counts {  // the counts of one call, in bytes
    std::vector<int> sent, sent_at, received, received_at;
  };

  // Adds a variant of the counts. Returns the bytes of the longer of both buffers.
  Bytes add_counts(int variant) {
    const auto [me, p] = here_;
    Counts counts;
    Bytes sent = 0, received = 0;
    for (int rank = 0; rank < p; ++rank) {
      const Bytes out = size_of(kind_.pattern, bytes_, me, rank, p, variant),
                  in = size_of(kind_.pattern, bytes_, rank, me, p, variant);
      counts.sent.push_back(static_cast<int>(out));
      counts.sent_at.push_back(static_cast<int>(sent));
      counts.received.push_back(static_cast<int>(in));
      counts.received_at.push_back(static_cast<int>(received));
      sent += out;
      received += in;
    }
    counts_.push_back(std::move(counts));
    return std::max(sent, received);
  }

  void call(const Functions& by, std::size_t number, int bytes) {
    void *const in = input_.data(), *const out = output_.data();
    switch (kind_.what) {
      case What::alltoall: by.alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, communicator_); break;
      case What::alltoallv: {
        const Counts& now = counts_[number % counts_.size()];
        by.alltoallv(in, now.sent.data(), now.sent_at.data(), MPI_BYTE, out, now.received.data(), now.received_at.data(), MPI_BYTE,
                     communicator_);
        break;
      }
      case What::allgather: by.allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, communicator_); break;
      case What::allreduce: by.allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, communicator_); break;
      case What::bcast: by.bcast(here_.rank == 0 ? in : out, bytes, MPI_BYTE, 0, communicator_);
    }
  }

  Kind kind_;
  int bytes_;
  World here_ = world();
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<Counts> counts_;
  std::vector<double> input_, output_;
};

}  // namespace quadrille::bench
