// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/mpi_mail.hpp"

#include <climits>

#include "foundation/assert.hpp"

namespace quadrille {
namespace {

// An MPI datatype of `bytes` bytes, because MPI's counts end at 2^31 - 1. The destructor frees it.
class BytesType {
 public:
  explicit BytesType(Bytes bytes) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr Bytes large = Bytes{1} << 30;
    MPI_Datatype larges = MPI_DATATYPE_NULL;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    const int lengths[2] = {static_cast<int>(bytes / large), static_cast<int>(bytes % large)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes - bytes % large)};
    check_mpi(MPI_Type_contiguous(static_cast<int>(large), MPI_BYTE, &larges), "MPI_Type_contiguous");
    parts[0] = larges;
    check_mpi(MPI_Type_create_struct(2, lengths, places, parts, &type_), "MPI_Type_create_struct");
    check_mpi(MPI_Type_free(&larges), "MPI_Type_free");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~BytesType() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  BytesType(const BytesType&) = delete;
  BytesType& operator=(const BytesType&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 1;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace

void MpiMail::send(Rank to, std::span<const std::byte> bytes) {
  const BytesType all(static_cast<Bytes>(bytes.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(bytes.data(), all.count(), all.type(), static_cast<int>(to), lease_.tag, lease_.communicator, &request),
            "MPI_Isend");
  sends_.push_back(request);
}

void MpiMail::finish_sends() {
  if (!sends_.empty()) waiter_.wait_all(static_cast<int>(sends_.size()), sends_.data());
  sends_.clear();
}

Bytes MpiMail::wait_for(Rank from) {
  MPI_Status status;
  waiter_.wait_until_probed(static_cast<int>(from), lease_.tag, lease_.communicator, &message_, &status);
  MPI_Count count = 0;
  check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &count), "MPI_Get_elements_x");
  QUADRILLE_ASSERT(count >= 0);  // MPI_UNDEFINED, which is negative, would mean that the message has no whole number of bytes
  bytes_ = static_cast<Bytes>(count);
  return bytes_;
}

void MpiMail::receive(std::byte* into) {
  const BytesType all(bytes_);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(into, all.count(), all.type(), &message_, &request), "MPI_Imrecv");
  waiter_.wait_all(1, &request);
}

}  // namespace quadrille
