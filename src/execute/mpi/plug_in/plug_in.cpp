// SPDX-License-Identifier: BSD-3-Clause
// Ranks of an MPI communicator, and the plug-in's one entry.
#include "execute/mpi/plug_in.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/mpi_mail.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "execute/shared/communicator.hpp"

namespace quadrille {
namespace {

class MpiCommunicator : public Communicator {
 public:
  // Takes a private duplicate, so that no message of the user's can meet one of ours.
  MpiCommunicator(MPI_Comm users, bool finalises) : finalises_(finalises), communicator_(duplicate(users)), waiter_(communicator_) {
    check_mpi(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
    sharing_ = share_memory(*this, no_sharing_);
  }

  ~MpiCommunicator() override {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) return;
    MPI_Comm_free(&communicator_);
    if (finalises_) MPI_Finalize();
  }

  Rank rank() const override { return rank_; }
  Count size() const override { return size_; }
  std::string_view transport() const override { return QUADRILLE_MPI_LIBRARY; }
  bool moves_strided_messages() const override { return false; }

  const std::vector<Count>& nodes() override {
    if (!nodes_.empty()) return nodes_;
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    Rank first = rank_;  // of the node
    MPI_Request request;
    check_mpi(MPI_Ibcast(&first, 1, MPI_INT64_T, 0, node, &request), "MPI_Ibcast");
    waiter_.wait_all(1, &request);
    check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
    std::vector<Rank> firsts(static_cast<std::size_t>(size_));
    all_gather(&first, firsts.data(), sizeof first);
    std::vector<Rank> known = firsts;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (const Rank each : firsts) nodes_.push_back(std::lower_bound(known.begin(), known.end(), each) - known.begin());
    return nodes_;
  }

  void barrier() override {
    MPI_Request request;
    check_mpi(MPI_Ibarrier(communicator_, &request), "MPI_Ibarrier");
    waiter_.wait_all(1, &request);
  }

  void all_gather(const void* mine, void* all, Bytes count) override {
    MPI_Request request;
    const int bytes = static_cast<int>(count);
    check_mpi(MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, communicator_, &request), "MPI_Iallgather");
    waiter_.wait_all(1, &request);
  }

  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    std::unique_ptr<Executable> made;
    try {
      made = std::make_unique<MpiExecutable>(communicator_, waiter_, std::move(script));
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {}
    const char mine = made ? 1 : 0;
    std::vector<char> all(static_cast<std::size_t>(size_));
    all_gather(&mine, all.data(), 1);
    if (std::find(all.begin(), all.end(), 0) != all.end())
      throw Error(ErrorCode::too_large, "there is not enough memory for this plan on every rank");
    return made;
  }

  std::unique_ptr<Mail> mail() override { return std::make_unique<MpiMail>(communicator_, waiter_); }

  std::unique_ptr<Executable> vendor(const Problem& problem, const std::shared_ptr<const Operator>& operation,
                                     std::string& reason) override {
    if (is_reduction(problem.collective)) return vendor_reduction(communicator_, problem, *operation, rank_, reason);
    return vendor_collective(communicator_, problem, rank_, reason);
  }

  Communicator* over_shared_memory(std::string& reason) override {
    reason = no_sharing_;
    return sharing_.get();
  }

  std::shared_ptr<std::byte> allocate(Bytes bytes) override {
    if (sharing_) return sharing_->allocate(bytes);
    return {static_cast<std::byte*>(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{64})),
            [](std::byte* memory) { ::operator delete (memory, std::align_val_t{64}); }};
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(communicator_, exit_code);
    std::_Exit(exit_code);
  }

 private:
  static MPI_Comm duplicate(MPI_Comm users) {
    MPI_Comm own = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(users, &own), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return own;
  }

  bool finalises_;
  MPI_Comm communicator_;
  Waiter waiter_;
  int rank_ = 0, size_ = 1;
  std::vector<Count> nodes_;               // empty: not asked for yet
  std::unique_ptr<Communicator> sharing_;  // the same ranks, where they share memory
  std::string no_sharing_;                 // why they do not
};

std::unique_ptr<Communicator> world() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised) check_mpi(MPI_Init(nullptr, nullptr), "MPI_Init");
  return std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, !initialised);
}

std::unique_ptr<Communicator> over(const void* handle, std::size_t bytes) {
  MPI_Comm communicator;
  if (bytes != sizeof communicator) throw Error(ErrorCode::misuse, "this communicator belongs to another MPI library");
  std::memcpy(&communicator, handle, bytes);
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised) throw Error(ErrorCode::misuse, "MPI is not initialised; call MPI_Init first");
  return std::make_unique<MpiCommunicator>(communicator, false);
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  // The first line, without the control characters that some versions hold.
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of(std::string_view("\n\0", 2)), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace
}  // namespace quadrille

extern "C" const quadrille::MpiPlugIn* quadrille_plug_in() {
  static constexpr quadrille::MpiPlugIn plug_in{QUADRILLE_VERSION, quadrille::world, quadrille::over, quadrille::mpi_version};
  return &plug_in;
}
