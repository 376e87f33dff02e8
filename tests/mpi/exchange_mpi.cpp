// SPDX-License-Identifier: BSD-3-Clause
// Tests exchanges by edges under a launcher, with checked data. Usage: exchange_mpi [CALLS [SEED]]; by default 100 calls,
// or 10,000 with QUADRILLE_LONG=1. Or: exchange_mpi lengths SENT EXPECTED; the ends of one edge name these lengths. That must end
// with an error instead of a hang.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "quadrille/exchange.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/exchanges.hpp"

namespace {

using namespace quadrille;

// An exchange of so many edges that a rank does not test all of its messages at a time. Every other edge is long.
std::string many_edges(Communicator& ranks) {
  constexpr Count edges = 1000;
  constexpr Bytes most = 700;
  const Rank me = ranks.rank(), next = (me + 1) % ranks.size(), last = (me + ranks.size() - 1) % ranks.size();
  const auto byte = [](Rank from, Bytes at) { return static_cast<std::byte>(from * 31 + at + at / 251); };
  std::vector<std::byte> in(edges * most), out(in.size());
  std::vector<Edges::Send> sends;
  std::vector<Edges::Receive> receives;
  for (Bytes at = 0; at < edges * most; ++at) out[index(at)] = byte(me, at);
  for (Count edge = 0; edge < edges; ++edge) {
    const Bytes bytes = edge % 2 == 0 ? 8 : most;
    sends.push_back({next, &out[index(edge * most)], bytes});
    receives.push_back({last, &in[index(edge * most)], bytes});
  }
  exchange(ranks, sends, receives);
  for (Count edge = 0; edge < edges; ++edge)
    for (Bytes i = 0; i < receives[index(edge)].bytes; ++i)
      if (in[index(edge * most + i)] != byte(last, edge * most + i))
        return "wrong bytes in edge " + std::to_string(edge) + " of many";
  return "";
}

// Each rank sends 8 B to each other, and the first rank sends the last one an edge that this takes for another.
void exchange_wrong_lengths(Communicator& ranks, Bytes sent, Bytes expected) {
  const Rank last = ranks.size() - 1;
  std::vector<std::byte> in(8 + index(expected)), out(8 + index(sent));
  std::vector<Edges::Send> sends;
  std::vector<Edges::Receive> receives;
  for (Rank rank = 0; rank <= last; ++rank) {
    if (ranks.rank() == 0 && rank == last) sends.push_back({rank, out.data() + 8, sent});
    if (ranks.rank() == last && rank == 0) receives.push_back({rank, in.data() + 8, expected});
    sends.push_back({rank, out.data(), 8});
    receives.push_back({rank, in.data(), 8});
  }
  exchange(ranks, sends, receives);
  ranks.barrier();
}

// Do Open MPI's polls yield the core (src/execute/mpi/plug_in/own_features.hpp)? False with another MPI library.
bool polls_yield() {
  void* const library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
  void* const found = library ? dlsym(library, "opal_progress_set_yield_when_idle") : nullptr;
  if (!found) return false;
  const auto set = reinterpret_cast<bool (*)(bool)>(found);
  const bool before = set(false);
  set(before);
  return before;
}

}  // namespace

int main(int count, char** arguments) {
  std::unique_ptr<Communicator> ranks;
  try {
    if (count == 4 && std::string(arguments[1]) == "lengths") {
      ranks = launched_world();
      exchange_wrong_lengths(*ranks, std::atol(arguments[2]), std::atol(arguments[3]));
      return 0;
    }
    const long calls = count > 1 ? std::atol(arguments[1]) : testing::long_tests() ? 10'000 : 100;
    const auto seed = count > 2 ? static_cast<std::uint64_t>(std::atol(arguments[2])) : 1;
    ranks = launched_world();
    const bool yielded = polls_yield();
    for (const bool allocated : {false, true}) {
      testing::Exchanges exchanges(*ranks, seed, allocated);
      std::string wrong = exchanges.run(calls) + exchanges.run(10 * calls, 200) + many_edges(*ranks);
      if (polls_yield() != yielded) wrong += "after exchanges polls of the MPI library do not yield as before";
      if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        ranks->abort(1);
      }
    }
    if (ranks->rank() == 0)
      std::printf("%s, %lld ranks: %ld exchanges\n", std::string(ranks->transport_name()).c_str(),
                  static_cast<long long>(ranks->size()), 22 * calls);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // mpirun may lose what was written just before the end
    if (ranks) ranks->abort(1);                                   // the others may be waiting
    return 1;
  }
}
