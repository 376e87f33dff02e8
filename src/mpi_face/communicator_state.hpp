// SPDX-License-Identifier: BSD-3-Clause
// What the drop-in keeps of a communicator of the program's: its sites, and the group once it is made. It goes with the
// communicator, by a delete callback, in whatever language that is freed.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "execute/shared/direct_exchange.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

class CommunicatorState {
 public:
  // Local. Null where the MPI library must answer: MPI is not initialised, or finalised, or there is no such communicator.
  static CommunicatorState* of(MPI_Comm communicator);

  explicit CommunicatorState(MPI_Comm communicator);

  int run(const MpiCall& call, VendorCall vendor);

 private:
  int run_planned(const MpiCall& call, VendorCall vendor);
  int run_irregular(const MpiCall& call, VendorCall vendor);
  Site* site_of(const Key& key, std::uint64_t first_event);
  int at_event(Site& site, const Shape& shape, VendorCall vendor);
  void admit(Site& site, const Shape& shape);
  void admit_irregular(Site& site);
  bool with_group(Site& site, const std::function<void(Communicator&)>& make);
  void begin_trial(Site& site);
  void judge(Site& site);

  // `saved`: the input was copied to `input_` before. `to_scratch`: the result goes to `output_`, not to the user's buffer.
  struct Ours {
    bool saved = false, to_scratch = false;
  };
  int with_both_timed(Site& site, bool in_place, const std::function<int()>& save, const std::function<int(Ours)>& ours,
                      VendorCall vendor);
  int execute(Site& site, const Shape& shape, Ours how);
  int pack_blocks(const Side& side, const TypeFacts& facts);
  int exchange(const MpiCall& call, Ours how);
  int save_input(const Shape& shape);
  int failed(const std::exception& error);

  const MPI_Comm communicator_;
  Rank rank_ = 0;
  Count ranks_ = 1;
  bool is_ours_ = false;  // an intracommunicator of several ranks
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Site>> sites_;
  Site* last_ = nullptr;
  std::unique_ptr<Communicator> group_;
  std::string no_group_;  // why it could not be made
  std::unique_ptr<DirectExchange> exchange_;
  std::vector<std::byte> input_, output_;  // canonical buffers, where the user's are not
  std::vector<DirectExchange::Outgoing> outgoing_;
  std::vector<DirectExchange::Incoming> incoming_;
};

}  // namespace quadrille::mpi_face
