// SPDX-License-Identifier: BSD-3-Clause
// The communicators of the plug-in, and its only entry point, which makes them. The ranks of an MPI communicator exchange MPI
// messages, and share memory within each node.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/executions/in_flight.hpp"
#include "execute/executors.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/group.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/own_features.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "execute/mpi/plug_ins.hpp"
#include "execute/process_events.hpp"
#include "execute/shared/hybrid_messages.hpp"
#include "execute/transport.hpp"
#include "foundation/assert.hpp"
#include "foundation/system/build_version.hpp"
#include "foundation/system/pipes.hpp"

namespace quadrille {
namespace {

// The transport of executor `hybrid`, for ranks of an MPI communicator on several nodes. Messages of a schedule are copies through
// shared memory within a node, and MPI messages between nodes. It is a separate transport, so that plans can choose between
// `hybrid` and `mpi`.
class HybridTransport final : public Transport {
 public:
  HybridTransport(Transport& ranks, MpiGroup& group) : ranks_(ranks), group_(group) {}

  std::shared_ptr<Communicator> kept() override { return ranks_.kept(); }
  void broadcast(void* data, Bytes count, Rank from) override { ranks_.broadcast(data, count, from); }
  Count cores() const override { return group_.cores(); }
  Executor executor() const override { return Executor::hybrid; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    Lease lease = group_.lease();
    return made_or_thrown(group_, [&] {
      const auto make_far = [&](std::shared_ptr<const Script> far) {
        return MpiMessages(std::move(lease), group_.waiter(), std::move(far));
      };
      return script_executable<HybridMessages<MpiMessages>>(*script, *group_.node()->space(), group_.node()->costs(),
                                                            group_.places(), script, make_far);
    });
  }
  std::unique_ptr<Executable> prepare_exchange() override { return prepare_nodes_exchange(group_); }
  Bytes buffered_message_bytes(Rank peer) const override {
    const Rank place = group_.places()[peer];
    return place < 0 ? -1 : group_.node()->buffered_message_bytes(place);
  }

 private:
  Transport& ranks_;
  MpiGroup& group_;
};

// A Communicator over the ranks of an MPI communicator.
class MpiCommunicator final : public Communicator, public Transport {
 public:
  // Collective if it is the first Communicator over `users`, else local. `kept` is destroyed after this object and its plans.
  MpiCommunicator(MPI_Comm users, std::shared_ptr<const void> kept) : kept_(std::move(kept)), group_(MpiGroup::kept_with(users)) {
    if (!group_) {
      group_ = std::make_shared<MpiGroup>(users, MpiProcess::current());
      MpiGroup::meet(group_, *this);
    }
    if (group_->node() && !group_->all_share_memory()) hybrid_ = std::make_unique<HybridTransport>(*this, *group_);
  }

  Rank rank() const override { return group_->rank(); }
  Count size() const override { return group_->size(); }
  std::string_view transport_name() const override { return QUADRILLE_MPI_LIBRARY; }
  const std::vector<Count>& nodes() const override { return group_->nodes(); }
  void barrier() override { group_->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { group_->all_gather(mine, all, count); }
  void broadcast(void* data, Bytes count, Rank from) override { group_->broadcast(data, count, from); }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override {
    if (SharedCommunicator* const node = group_->node()) return node->allocate(bytes);
    return {static_cast<std::byte*>(::operator new (index(bytes), std::align_val_t{64})),
            [](std::byte* memory) { ::operator delete (memory, std::align_val_t{64}); }};
  }
  [[noreturn]] void abort(int exit_code) override {
    for (int output : {STDOUT_FILENO, STDERR_FILENO}) wait_until_read(output, std::chrono::seconds(1));
    if (!group_->is_freed()) MPI_Abort(group_->handle(), exit_code);
    std::_Exit(exit_code);
  }
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override { return std::shared_ptr<Communicator>(new MpiCommunicator(kept_, group_)); }
  Count cores() const override { return group_->cores(); }
  Executor executor() const override { return Executor::mpi; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    Lease lease = group_->lease();
    return made_or_thrown(*group_,
                          [&] { return script_executable<MpiMessages>(*script, std::move(lease), group_->waiter(), script); });
  }
  std::unique_ptr<Executable> prepare_exchange() override { return prepare_nodes_exchange(*group_); }
  // Each rank checks locally, without a context, whether MPI has the collective. The ranks lease a context only if MPI has it.
  Result<Vendor> vendor(const Problem& problem, const std::shared_ptr<const Operator>& operation,
                        const std::string& algorithm) override {
    if (const auto drafted = vendor_collective({}, {}, problem, operation.get(), rank()); !drafted) return cannot(drafted.error());
    const auto made_with = [group = group_, problem, operation](const Lease& lease) {
      return made_or_thrown(*group,
                            [&] { return *vendor_collective(lease, group->waiter(), problem, operation.get(), group->rank()); });
    };
    if (algorithm.empty()) return Vendor([group = group_, made_with] { return made_with(group->lease()); });
    const auto forced = ForcedAlgorithm::of(problem, algorithm);
    if (!forced) return cannot(forced.error());
    return Vendor([group = group_, made_with, forced = *forced] { return forced.make(group->lease(), made_with); });
  }
  Result<std::vector<std::string>> vendor_algorithms(const Problem& problem) override { return ForcedAlgorithm::names(problem); }
  std::vector<Transport*> offered() override {
    std::vector<Transport*> all;
    if (hybrid_) all.push_back(hybrid_.get());
    if (group_->all_share_memory()) all = group_->node()->offered();
    all.push_back(this);
    return all;
  }
  std::string no_sharing() const override { return group_->no_sharing(); }
  // If the ranks compare the order of their starts over MPI, one record holds all plans. Otherwise the record of the shared space
  // holds the plans that run in shared memory; there waiting ranks detect different orders.
  std::shared_ptr<Starts> starts(Executor executor) override {
    struct Kept {
      std::shared_ptr<const void> last;  // this member is destroyed after the group
      std::shared_ptr<MpiGroup> group;
    };
    const auto all = std::make_shared<Kept>(Kept{kept_, group_});
    const bool by_messages = row_of(executor).memory == SharedBy::nobody || group_->starts().compares();
    return {all, by_messages ? static_cast<Starts*>(&group_->starts()) : &group_->node()->space()->starts()};
  }

 protected:
  // If `kept_` is not null, its destruction finalises MPI. Plans own `kept_`, too, so they must not be kept with the user's
  // communicator: it exists until MPI is finalised, and would keep MPI from being finalised.
  std::shared_ptr<Calls> shared_calls() override {
    const auto make = [this] { return Communicator::shared_calls(); };
    std::shared_ptr<Calls> calls = kept_ ? nullptr : group_->calls(make);
    return calls ? calls : make();
  }

 private:
  MpiCommunicator(std::shared_ptr<const void> kept, std::shared_ptr<MpiGroup> group)
      : kept_(std::move(kept)), group_(std::move(group)) {
    if (group_->node() && !group_->all_share_memory()) hybrid_ = std::make_unique<HybridTransport>(*this, *group_);
  }

  const std::shared_ptr<const void> kept_;
  std::shared_ptr<MpiGroup> group_;
  std::unique_ptr<Transport> hybrid_;  // null unless there are several nodes whose ranks share memory
};

// ---- The plug-in's one entry

// Finalises MPI when it is destroyed, unless MPI has been finalised already.
struct Finaliser {
  ~Finaliser() {
    if (!EndOfMpi::is_over() && !MpiProcess::was_forked()) MPI_Finalize();
  }
};

// Throws Error{misuse} if MPI cannot be used: in a forked child, and after MPI_Finalize.
void check_usable() {
  if (MpiProcess::was_forked())
    throw Error(ErrorCode::misuse, "this process was forked from a rank of an MPI program; only that rank can make communicators");
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised) throw Error(ErrorCode::misuse, "MPI has been finalised; make communicators before MPI_Finalize");
}

std::unique_ptr<Communicator> world() {
  check_usable();
  int initialised = 0;
  MPI_Initialized(&initialised);
  std::shared_ptr<const void> finaliser;
  if (!initialised) {
    int level = MPI_THREAD_SINGLE;  // an enabled progress thread calls MPI at the same time as the program
    check_mpi(MPI_Init_thread(nullptr, nullptr, ProgressThread::is_asked() ? MPI_THREAD_MULTIPLE : level, &level),
              "MPI_Init_thread");
    finaliser = std::make_shared<Finaliser>();
  }
  return std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, std::move(finaliser));
}

#ifdef MPI_SESSION_NULL  // MPI_VERSION does not tell: in Open MPI 5, which has sessions, it is 3.1
constexpr bool has_sessions = true;
#else
constexpr bool has_sessions = false;
#endif

// Could the communicator belong to an MPI session? MPI does not tell whether there is a session. But before MPI_Init only
// sessions can make communicators, and MPI_COMM_WORLD and MPI_COMM_SELF never come from a session.
bool may_be_of_session(MPI_Comm communicator) {
  return has_sessions && communicator != MPI_COMM_WORLD && communicator != MPI_COMM_SELF;
}

std::unique_ptr<Communicator> over(const void* handle, std::size_t bytes) {
  MPI_Comm communicator;
  if (bytes != sizeof communicator) throw Error(ErrorCode::misuse, "this communicator belongs to another MPI library");
  std::memcpy(&communicator, handle, bytes);
  if (communicator == MPI_COMM_NULL)
    throw Error(ErrorCode::misuse, "MPI_COMM_NULL has no ranks; make a group only on ranks that the communicator has");
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised && !may_be_of_session(communicator))
    throw Error(ErrorCode::misuse, "MPI is not initialised; call MPI_Init first");
  check_usable();
  int is_inter = 0;
  check_mpi(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
  if (is_inter)
    throw Error(ErrorCode::misuse,
                "this is an intercommunicator; schedules are for one group of ranks, such as MPI_Intercomm_merge makes");
  return std::make_unique<MpiCommunicator>(communicator, nullptr);
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  // Keeps the first line only, without the control characters that some versions contain.
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of(std::string_view("\n\0", 2)), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string library_file() {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(&MPI_Init), &found) != 0 && found.dli_fname ? found.dli_fname : "";
}

}  // namespace
}  // namespace quadrille

extern "C" const quadrille::MpiPlugIn* quadrille_plug_in() {
  static const quadrille::MpiPlugIn plug_in{quadrille::build_version(), quadrille::world, quadrille::over, quadrille::mpi_version,
                                            quadrille::library_file};
  return &plug_in;
}
