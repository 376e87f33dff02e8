// SPDX-License-Identifier: BSD-3-Clause
// The sites of a communicator, found from a call. A site is a kind of calls (policy/kind.hpp) with what runs them and what trials
// of them need.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "foundation/lookup.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/blocks.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/call_signature.hpp"
#include "mpi_face/policy/kind.hpp"
#include "mpi_face/shape.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

struct Counters;
struct PassedCalls;

// Arguments with which trials call the MPI library, on buffers of ours. Handles are predefined, so never freed.
struct TrialArguments {
  MPI_Datatype type = MPI_BYTE;
  Bytes type_bytes = 1, type_extent = 1;
  MPI_Op operation = MPI_OP_NULL;
  // Exchanges: the root of a recent call, equal on all ranks, if there is one; and this rank's blocks (SideBlocks::lengths) in the
  // call of this number. If there is a root, only the root has them.
  Rank root = 0;
  std::vector<Bytes> sent, received;
  std::uint64_t call = 0;
};

struct Site final : CallKind {
  // Mode ours: the plan that runs the calls. Mode trying: those of `contenders`. Exchanges have no plans.
  std::vector<Plan> plans;
  std::vector<Bytes> shares;  // the shares whose hash is in the key
  TrialArguments trial_arguments;
  const Neighbourhood* neighbours = nullptr;  // of the communicator, if the calls are those of neighbours

  // For the report (counting.cpp): what was last described.
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

  // Mode trying: lets that way run a call whose turn it is: the MPI library, or `ours(contender)`. Calls `due()` when the ranks
  // should meet.
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

// What is known of a recent call, for the next one with the same signature.
struct RecentCall {
  CallSignature signature;
  Site* site = nullptr;  // null on a communicator of one rank, and if the MPI library always runs the call
  bool synchronises = false;
  double price_s = 0;          // of a call, equal on all ranks
  std::string_view why;        // without a site: the reason why the MPI library runs it
  std::optional<Shape> shape;  // of a call with this signature, if it was needed
};

class Sites {
 public:
  // `kinds`: where new ones are added.
  Sites(Count ranks, std::vector<CallKind*>& kinds) : ranks_(ranks), kinds_(kinds) {}

  // The entry of the table of recent calls where a call with this signature belongs. It may hold a call with another signature.
  [[gnu::hot]] RecentCall& recent(const MpiCall& call);

  // Returns the site of the calls with this signature; null if it is not known.
  Site* known(const MpiCall& call) const {
    const KnownCall* const known =
        known_.find(CallSignature::hash_of(call), [&](const auto& each) { return each.signature.is_of(call); });
    return known ? known->site : nullptr;
  }
  // Makes it known. Its signature can be kept, and is not known yet.
  void know(const MpiCall& call, Site& site);

  // Returns the key of the call's site; nothing if the operator or its type is not one that our algorithms can combine.
  std::optional<Key> key_of(const MpiCall& call, const Shape& shape) const;

  // Finds or makes the site; null if there are too many.
  Site* of(const Key& key, const MpiCall& call, const Shape& shape);

  // Makes a site for a function whose calls are all alike (is_exchanged); null if there are too many.
  Site* make(const Key& key);

  std::size_t size() const { return table_.values().size(); }
  Site& operator[](std::size_t number) const { return *table_.values()[number]; }

 private:
  struct alignas(64) KnownCall {  // a cache line
    CallSignature signature;
    Site* site = nullptr;
  };

  const Count ranks_;
  std::vector<CallKind*>& kinds_;
  HashTable<Site> table_;
  HashTable<KnownCall> known_;
  Site* last_ = nullptr;
  std::unique_ptr<std::array<RecentCall, 16>> recent_;  // indexed by a hash of function and count
};

}  // namespace quadrille::mpi_face
