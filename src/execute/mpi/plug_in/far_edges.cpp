// SPDX-License-Identifier: BSD-3-Clause
// The messages of exchanges between nodes (execute/nodes/far_edges.hpp) by MPI. A message that is too long for MPI's counts is
// sent in parts.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/mpi/plug_in/group.hpp"
#include "execute/mpi/plug_in/own_features.hpp"
#include "execute/nodes/far_edges.hpp"
#include "execute/nodes/nodes_exchange.hpp"
#include "execute/process_events.hpp"
#include "execute/threads/threads.hpp"
#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

class MpiFarEdges final : public FarEdges {
 public:
  static constexpr int tags = forms * exchanges;

  explicit MpiFarEdges(Lease lease) : lease_(std::move(lease)) {}
  ~MpiFarEdges() override { withdraw(); }

  void send(Kind kind, Rank to, const std::byte* memory, Bytes bytes) override {
    check_not_finalised();
    for (Bytes done = 0; done < bytes; done += longest_part)
      check_mpi(MPI_Isend(memory + done, static_cast<int>(std::min(bytes - done, longest_part)), MPI_BYTE, static_cast<int>(to),
                          tag_of(kind), lease_.communicator, add({0, false, false, false})),
                "MPI_Isend");
  }
  void receive(Kind kind, Rank from, std::byte* memory, Bytes room, std::uint32_t name) override {
    check_not_finalised();
    const bool is_in_parts = room > longest_part;
    if (is_in_parts) in_parts_.push_back({name, (room + longest_part - 1) / longest_part, 0});
    for (Bytes done = 0; done < room; done += longest_part)
      check_mpi(MPI_Irecv(memory + done, static_cast<int>(std::min(room - done, longest_part)), MPI_BYTE, static_cast<int>(from),
                          tag_of(kind), lease_.communicator, add({name, true, is_in_parts, kind.form == Form::packed})),
                "MPI_Irecv");
  }
  std::span<const Arrival> advance() override {
    arrivals_.clear();
    if (requests_.empty()) return arrivals_;
    check_not_finalised();
    std::optional<QuietPolls> quiet;
    if (is_quiet()) quiet.emplace();
    if (requests_.size() <= most_asked)
      ask_for_each();
    else
      test_some();
    return arrivals_;
  }
  // True while this rank receives packed messages, because all ranks of the node wait for them. While this rank waits for other
  // messages, polls may yield. If they did not, this rank would begin its next exchange before the other ranks
  // (NodesExchange::complete).
  bool is_quiet() const override { return open_packed_ > 0 && may_be_quiet_; }
  Count open_sends() const override { return quadrille::size(requests_) - open_receives_; }
  Count open_receives() const override { return open_receives_; }
  void list_open(std::vector<std::uint32_t>& names) const override {
    for (const Part& part : parts_)
      if (part.is_received) names.push_back(part.name);
  }
  std::optional<Bytes> unexpected(Kind kind, Rank from) override {
    check_not_finalised();
    int found = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(static_cast<int>(from), tag_of(kind), lease_.communicator, &found, &status), "MPI_Iprobe");
    return found != 0 ? std::optional(length_of(status, MPI_SUCCESS)) : std::nullopt;
  }
  // Does nothing in a forked child, which does not own the requests.
  void withdraw() noexcept override {
    for (MPI_Request& request : requests_) {
      if (EndOfMpi::is_over() || mark_.is_in_child()) break;
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    requests_.clear(), parts_.clear(), in_parts_.clear();
    open_receives_ = open_packed_ = 0;
  }
  Bytes memory_bytes() const override { return memory_bytes_of(requests_, parts_, in_parts_, completed_, statuses_, arrivals_); }

 private:
  static constexpr Bytes longest_part = Bytes{1} << 30;
  // A test looks at no more than this many messages; the next test looks at the following ones. If all were tested each time, the
  // total time would be quadratic in their number.
  static constexpr std::size_t most_tested = 128;
  static constexpr std::size_t most_asked = 8;

  // What an open request is for. A message in parts has arrived when its last part has.
  struct Part {
    std::uint32_t name;
    bool is_received, is_in_parts, is_packed;
  };
  struct InParts {
    std::uint32_t name;
    Count missing;
    Bytes bytes;
  };
  int tag_of(Kind kind) const {
    return lease_.tag + static_cast<int>(kind.exchange % exchanges) * forms + static_cast<int>(kind.form);
  }
  MPI_Request* add(const Part& part) {
    parts_.push_back(part);
    requests_.push_back(MPI_REQUEST_NULL);
    open_receives_ += part.is_received ? 1 : 0;
    open_packed_ += part.is_packed ? 1 : 0;
    return &requests_.back();
  }
  // Polls once, or not at all if all requests are complete. Often all requests are complete, because the messages of two
  // exchanges arrived together. In that case, too, MPICH's MPI_Testsome polls. The poll finds nothing and, if it yields the core,
  // this rank loses a time slice. Open MPI's MPI_Testsome polls only if no request is complete. But it does not look at the
  // requests again after the poll. Only the next call reports what the poll has found, and before that call this rank gives its
  // core away. MPI_Request_get_status polls only for a request that is not complete, and looks again afterwards. So this rank
  // asks for one receive after the other, then for its sends, and stops at the first request that is not complete. The next call
  // begins with another request.
  void ask_for_each() {
    while (!requests_.empty()) {
      do asked_ = (asked_ + 1) % requests_.size();
      while (open_receives_ > 0 && !parts_[asked_].is_received);
      int is_complete = 0;
      if (MPI_Request_get_status(requests_[asked_], &is_complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_complete == 0) return;
      MPI_Status status;
      const int code = MPI_Wait(&requests_[asked_], &status);  // does not wait
      note_complete(asked_, status, code);
      remove(asked_);
    }
  }
  void test_some() {
    if (next_ >= requests_.size()) next_ = 0;
    const std::size_t first = next_, tested = std::min(requests_.size() - first, most_tested);
    next_ += tested;
    completed_.resize(tested);
    statuses_.resize(tested);
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(tested), requests_.data() + first, &count, completed_.data(), statuses_.data());
    int kind = MPI_SUCCESS;
    if (code != MPI_SUCCESS) MPI_Error_class(code, &kind);
    const bool is_in_error = kind == MPI_ERR_IN_STATUS;
    if (!is_in_error) check_mpi(code, "MPI_Testsome");
    for (int i = 0; i < count; ++i) {
      const auto at = first + static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]);
      const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
      note_complete(at, status, is_in_error ? status.MPI_ERROR : MPI_SUCCESS);
    }
    // The last open request fills each gap. That request is not complete, because the positions go from the highest down.
    if (count > 0) std::sort(completed_.begin(), completed_.begin() + count, std::greater<>());
    for (int i = 0; i < count; ++i) remove(first + static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]));
  }
  // `code`: what MPI has returned for this message.
  void note_complete(std::size_t at, const MPI_Status& status, int code) {
    QUADRILLE_HOT_ASSERT(at < parts_.size());
    const Part& part = parts_[at];
    if (part.is_received)
      arrive(part, length_of(status, code));
    else
      check_mpi(code, "MPI_Isend");
  }
  void remove(std::size_t at) {
    open_receives_ -= parts_[at].is_received ? 1 : 0;
    open_packed_ -= parts_[at].is_packed ? 1 : 0;
    requests_[at] = requests_.back(), requests_.pop_back();
    parts_[at] = parts_.back(), parts_.pop_back();
  }
  void arrive(const Part& part, Bytes bytes) {
    if (!part.is_in_parts) {
      arrivals_.push_back({part.name, bytes});
      return;
    }
    const auto whole =
        std::find_if(in_parts_.begin(), in_parts_.end(), [&](const InParts& each) { return each.name == part.name; });
    QUADRILLE_ASSERT(whole != in_parts_.end());
    whole->bytes = bytes < 0 || whole->bytes < 0 ? Arrival::too_long : whole->bytes + bytes;
    if (--whole->missing > 0) return;
    arrivals_.push_back({whole->name, whole->bytes});
    in_parts_.erase(whole);
  }
  // If a message is longer than the room, MPI returns a special error code. Other errors are thrown.
  Bytes length_of(const MPI_Status& status, int code) const {
    if (code != MPI_SUCCESS) {
      int kind = MPI_SUCCESS;
      MPI_Error_class(code, &kind);
      if (kind == MPI_ERR_TRUNCATE) return Arrival::too_long;
      check_mpi(code, "a message of an exchange");
    }
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    return bytes;
  }

  const Lease lease_;
  const ForkMark mark_;
  const bool may_be_quiet_ = QuietPolls::are_possible();
  std::vector<MPI_Request> requests_;          // the open requests
  Count open_receives_ = 0, open_packed_ = 0;  // open_packed_: how many open receives are of packed messages
  std::size_t next_ = 0;                       // the position at which the next test begins
  std::size_t asked_ = 0;                      // position of the request that this rank has asked for last
  std::vector<Part> parts_;                    // by position of a request: what it is for
  std::vector<InParts> in_parts_;
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
  std::vector<Arrival> arrivals_;
};

}  // namespace

// If no ranks share memory, each rank is a node.
std::unique_ptr<Executable> prepare_nodes_exchange(MpiGroup& group) {
  Lease lease = group.lease(MpiFarEdges::tags);
  return made_or_thrown(group, [&] {
    SharedCommunicator* const node = group.node();
    ByRank<Count> nodes = group.nodes();
    if (!node)
      for (Rank rank = 0; rank < group.size(); ++rank) nodes[rank] = rank;
    std::shared_ptr<SharedSpace> space = node ? node->space() : spaces_of_threads(1)[0];
    if (!node) space->set_progress(group.progress());
    NodeMap map(nodes, group.rank());
    const PackingRule rule = PackingRule::among(map.count(), map.most_ranks());
    return std::make_unique<NodesExchange>(std::move(space), node ? node->costs() : CopyCosts{}, std::move(map), rule,
                                           std::make_unique<MpiFarEdges>(std::move(lease)));
  });
}

}  // namespace quadrille
