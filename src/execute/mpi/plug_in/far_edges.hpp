// SPDX-License-Identifier: BSD-3-Clause
// The messages of exchanges between nodes (execute/nodes/far_edges.hpp) by MPI. A message longer than MPI's counts allow goes in
// parts.
#pragma once

#include <vector>

#include "execute/mpi/plug_in/group.hpp"
#include "execute/mpi/plug_in/own_features.hpp"
#include "execute/nodes/far_edges.hpp"
#include "execute/process_events.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class MpiFarEdges final : public FarEdges {
 public:
  static constexpr int tags = forms * exchanges;

  explicit MpiFarEdges(Lease lease) : lease_(std::move(lease)) {}
  ~MpiFarEdges() override { withdraw(); }

  void send(Kind kind, Rank to, const std::byte* memory, Bytes bytes) override;
  void receive(Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) override;
  std::span<const Arrival> advance() override;
  // True while packed messages are expected, because all ranks of the node wait for them. For other messages a rank polls as usual;
  // otherwise it would begin its next exchange before the other ranks (NodesExchange::complete).
  bool is_quiet() const override { return open_packed_ > 0 && may_be_quiet_; }
  Count open_sends() const override { return quadrille::size(requests_) - open_receives_; }
  Count open_receives() const override { return open_receives_; }
  void list_open(std::vector<std::uint32_t>& names) const override;
  std::optional<Bytes> unexpected(Kind kind, Rank from) override;
  void withdraw() noexcept override;
  Bytes memory_bytes() const override;

 private:
  static constexpr Bytes longest_part = Bytes{1} << 30;
  // Thousands of messages are tested by parts in turn. If all were tested each time, the time would grow with their square.
  static constexpr std::size_t most_tested = 128;
  static constexpr std::size_t most_asked = 8;

  // What an open request is for. A message in parts has arrived with its last part.
  struct Part {
    std::uint32_t name;
    bool is_received, is_in_parts, is_packed;
  };
  struct InParts {
    std::uint32_t name;
    Count missing;
    Bytes bytes;
  };
  int tag_of(Kind kind) const;
  MPI_Request* add(const Part& part);
  void ask_for_each();
  void test_some();
  void note_complete(std::size_t at, const MPI_Status& status, int code);  // `code`: what MPI has returned for this message
  void remove(std::size_t at);
  void arrive(const Part& part, Bytes bytes);
  Bytes length_of(const MPI_Status& status, int code) const;

  const Lease lease_;
  const ForkMark mark_;
  const bool may_be_quiet_ = QuietPolls::are_possible();
  std::vector<MPI_Request> requests_;          // the open ones
  Count open_receives_ = 0, open_packed_ = 0;  // open_packed_: of those, receives of packed messages
  std::size_t next_ = 0;                       // where the next test begins
  std::size_t asked_ = 0;                      // for which request this rank has asked last
  std::vector<Part> parts_;                    // of each open request
  std::vector<InParts> in_parts_;
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
  std::vector<Arrival> arrivals_;
};

// Collective: makes exchanges among the ranks of several nodes. Throws on all ranks or on none.
std::unique_ptr<Executable> prepare_nodes_exchange(MpiGroup& group);

}  // namespace quadrille
