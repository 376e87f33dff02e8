// SPDX-License-Identifier: BSD-3-Clause
// The sites of a communicator, found from a call. A site is a kind of calls (policy/kind.hpp), with the plans or the exchange
// that run them and what their trials need.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "foundation/lookup.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/blocks.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/policy/kind.hpp"
#include "mpi_face/shape.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

struct Counters;
struct PassedCalls;

// Arguments with which trials call the MPI library on buffers of their own. The handles are predefined, so they are never freed.
struct TrialArguments {
  MPI_Datatype type = MPI_BYTE;
  Bytes type_bytes = 1, type_extent = 1;
  MPI_Op operation = MPI_OP_NULL;
  // For exchanges. `root`: of a recent call, equal on all ranks, if the function has a root. `sent`, `received`: this rank's
  // blocks (SideBlocks::lengths) in call number `call`. If there is a root, only the root has these blocks.
  Rank root = 0;
  std::vector<Bytes> sent, received;
  std::uint64_t call = 0;
};

struct Site final : CallKind {
  // Mode ours: the plan that runs the calls. Mode trying: those of `contenders`. Exchanges have no plans.
  std::vector<Plan> plans;

  // Mode ours, unless the calls are exchanges: the plan that runs the calls, which may be another site's.
  Plan& plan() { return plan_of ? static_cast<Site*>(plan_of)->plans.front() : plans.front(); }

  std::vector<Bytes> shares;            // the shares whose hash is in the key
  const Operator* operation = nullptr;  // of a reduction; one object per operator and type of elements
  TrialArguments trial_arguments;
  const Neighbourhood* neighbours = nullptr;  // of the communicator, if the calls are those of neighbours

  // For the report (counting.cpp): the values that were last described.
  struct Told {
    std::size_t size_class = 0;
    std::size_t samples = 0;
    double last_sample_s = 0;
    Counters* counters = nullptr;
    PassedCalls* passed = nullptr;
  } told;

  // Lets the MPI library run a call, and counts its time.
  [[gnu::hot]] int timed(VendorCall vendor) {
    const std::uint64_t begin = ticks();
    const int code = vendor();
    vendor_times.count(ticks() - begin);
    return code;
  }

  // Mode trying: runs the call by the way whose turn it is, the MPI library or `ours(contender)`. Calls `due()` if the ranks
  // should meet now.
  int tried(VendorCall vendor, const auto& ours, const auto& due, bool& by_ours) {
    const int turn = trial->next();
    by_ours = turn != Alternation::vendor;
    const double begin = PMPI_Wtime();
    const int code = by_ours ? ours(static_cast<std::size_t>(turn - 1)) : vendor();
    if (trial->is_due()) return code;
    trial->count(PMPI_Wtime() - begin);
    if (trial->is_due()) due();
    return code;
  }
};

// The key of calls like this one. `shape`: of the call. Local, without asking MPI.
Key key_of(const MpiCall& call, const Shape& shape, Count ranks);

// Finds sites by their keys.
class Sites {
 public:
  // `kinds`: the list to which new sites are added.
  Sites(Count ranks, std::vector<CallKind*>& kinds) : ranks_(ranks), kinds_(kinds) {}

  // Returns the key of the call's site; nothing if the operator or its type is not one that our algorithms can combine.
  std::optional<Key> key_of(const MpiCall& call, const Shape& shape) const;

  // Finds or makes the site; null if there are too many.
  Site* of(const Key& key, const MpiCall& call, const Shape& shape);

  // Makes a site for a function whose calls are all alike (is_exchanged); null if there are too many.
  Site* make(const Key& key);

  std::size_t size() const { return table_.values().size(); }
  Site& operator[](std::size_t number) const { return *table_.values()[number]; }

 private:
  const Count ranks_;
  std::vector<CallKind*>& kinds_;
  HashTable<Site> table_;
  Site* last_ = nullptr;
};

}  // namespace quadrille::mpi_face
