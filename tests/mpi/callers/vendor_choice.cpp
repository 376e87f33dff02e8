// SPDX-License-Identifier: BSD-3-Clause
// Compares the rules of vendor_choice.hpp with what the MPI library does: the messages that each rank sends in a collective when
// the library chooses, when the algorithm that the rules name is forced, and in the schedule of the algorithm of our table that
// sends the same. Open MPI's messages are counted by its component pml/monitoring; MPICH's by a function of UCX that the library
// calls. Usage: vendor_choice, under mpirun -n 8: with 2 to 8 ranks; prints one line for each difference. QUADRILLE_LONG=1: more
// sizes.
#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/collective_facts.hpp"
#include "quadrille/vendor_choice.hpp"

namespace quadrille {
namespace {

// What one rank sent to one other.
struct Sent {
  Count messages = 0;
  Bytes bytes = 0;
  bool operator==(const Sent&) const = default;
  auto operator<=>(const Sent&) const = default;
};

[[noreturn]] void give_up(const std::string& what) {
  fmt::print("failed: {}\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void check(int code, const std::string& what) {
  if (code != MPI_SUCCESS) give_up(what);
}

int variable_named(const std::string& name) {
  int at = 0;
  return MPI_T_cvar_get_index(name.c_str(), &at) == MPI_SUCCESS ? at : -1;
}

class Variable {
 public:
  explicit Variable(const std::string& name) : index_(variable_named(name)) {
    int count = 0;
    if (index_ >= 0) check(MPI_T_cvar_handle_alloc(index_, nullptr, &handle_, &count), "a control variable has no handle");
  }
  ~Variable() {
    if (index_ >= 0) MPI_T_cvar_handle_free(&handle_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  bool write(int value) { return index_ >= 0 && MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }
  int read() {
    int value = 0;
    check(MPI_T_cvar_read(handle_, &value), "a control variable cannot be read");
    return value;
  }

  // Returns the names of the algorithms. MPICH's descriptions do not separate them, so its names are those that it has for any
  // collective.
  std::vector<std::string> algorithms() const {
    std::vector<std::string> list;
    int name_length = 0, length = 0, verbosity = 0, bind = 0, scope = 0, count = 0, value = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    if (index_ < 0) return list;
    MPI_T_cvar_get_info(index_, nullptr, &name_length, &verbosity, &type, &names, nullptr, &length, &bind, &scope);
    if (names == MPI_T_ENUM_NULL)
      return {"brucks",
              "pairwise",
              "scattered",
              "recursive_doubling",
              "ring",
              "binomial",
              "scatter_recursive_doubling_allgather",
              "scatter_ring_allgather",
              "reduce_scatter_gather",
              "reduce_scatter_allgather",
              "recursive_halving",
              "noncommutative",
              "linear",
              "dissemination"};
    length = 0;
    MPI_T_enum_get_info(names, &count, nullptr, &length);
    for (int i = 0; i < count; ++i) {
      char text[256] = "";
      length = sizeof text;
      check(MPI_T_enum_get_item(names, i, &value, text, &length), "an algorithm is not told");
      if (value != 0) list.emplace_back(text);  // 0 is the library's own choice
    }
    return list;
  }

  // Returns the value that means this algorithm; nothing if there is none.
  std::optional<int> value_of(const std::string& algorithm) const {
    if (index_ < 0) return std::nullopt;
    int name_length = 0, length = 0, verbosity = 0, bind = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    MPI_T_cvar_get_info(index_, nullptr, &name_length, &verbosity, &type, &names, nullptr, &length, &bind, &scope);
    std::string description(static_cast<std::size_t>(length) + 1, '\0');
    length = static_cast<int>(description.size()), name_length = 0;
    MPI_T_cvar_get_info(index_, nullptr, &name_length, &verbosity, &type, &names, description.data(), &length, &bind, &scope);
    if (names != MPI_T_ENUM_NULL) return value_in(names, algorithm);
    // MPICH lists the values in the description: "brucks - Force brucks algorithm". They count from 0, which is "auto".
    int value = 0;
    for (std::size_t at = 0; (at = description.find("- Force", at)) != std::string::npos; at += 7) {
      ++value;
      const std::string before = description.substr(0, description.find_last_not_of(' ', at - 1) + 1);
      if (before.ends_with(algorithm) && before[before.size() - algorithm.size() - 1] != '_') return value;
    }
    return std::nullopt;
  }

 private:
  static std::optional<int> value_in(MPI_T_enum names, const std::string& algorithm) {
    int count = 0, length = 0;
    MPI_T_enum_get_info(names, &count, nullptr, &length);
    for (int i = 0; i < count; ++i) {
      int value = 0;
      char text[256] = "";
      length = sizeof text;
      check(MPI_T_enum_get_item(names, i, &value, text, &length), "an algorithm is not told");
      if (text == algorithm) return value;
    }
    return std::nullopt;
  }

  int index_ = -1;
  MPI_T_cvar_handle handle_{};
};

// What this rank has sent so far, by receiver: a rank of MPI_COMM_WORLD (Open MPI) or the address of an endpoint (MPICH).
std::map<std::uint64_t, Sent> all_sent;

// False after a message whose bytes UCX collects from several places.
bool bytes_are_known = true;

// The receiver that stands for this rank itself; such messages are not counted.
std::optional<std::uint64_t> this_rank;

#ifdef OPEN_MPI
constexpr const char* library = "openmpi";
constexpr bool receivers_are_ranks = true;

std::string variable_for(Collective collective) { return fmt::format("coll_tuned_{}_algorithm", mpi_name(collective)); }

#else
constexpr const char* library = "mpich";
constexpr bool receivers_are_ranks = false;

std::string variable_for(Collective collective) {
  std::string name = mpi_name(collective);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", name);
}
#endif

// Returns a problem with the element type that the calls below have.
Problem problem_of(Collective collective, Count ranks, Bytes bytes) {
  Problem problem{.collective = collective, .ranks = ranks, .block_bytes = bytes};
  if (is_reduction(collective)) problem.element_bytes = sizeof(int);
  if (is_irregular(collective)) {
    problem.block_bytes = 0;
    problem.counts = std::make_shared<const std::vector<Bytes>>(
        static_cast<std::size_t>(has_pair_counts(collective) ? ranks * ranks : ranks), bytes);
  }
  if (!moves_data(collective)) problem.block_bytes = 0;
#ifndef OPEN_MPI
  for (Rank rank = 0; rank < ranks; ++rank) problem.nodes.push_back(rank);  // as MPICH sees it with MPIR_CVAR_NOLOCAL
#endif
  quadrille::check(problem);
  return problem;
}

void call(Collective collective, int ranks, int bytes, MPI_Comm comm) {
  const auto size = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(bytes) + 8;
  static std::vector<int> input, output;
  input.resize(std::max(input.size(), size)), output.resize(std::max(output.size(), size));
  std::vector<int> counts(static_cast<std::size_t>(ranks), bytes), at(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), at.begin(), 0);
  const int elements = bytes / static_cast<int>(sizeof(int));
  std::vector<int> element_counts(counts.size(), elements);
  void *in = input.data(), *out = output.data();
  const int* c = counts.data();
  const int* d = at.data();
  switch (collective) {
    case Collective::alltoall: MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm); return;
    case Collective::alltoallv: MPI_Alltoallv(in, c, d, MPI_BYTE, out, c, d, MPI_BYTE, comm); return;
    case Collective::allgather: MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm); return;
    case Collective::allgatherv: MPI_Allgatherv(in, bytes, MPI_BYTE, out, c, d, MPI_BYTE, comm); return;
    case Collective::broadcast: MPI_Bcast(in, bytes, MPI_BYTE, 0, comm); return;
    case Collective::reduce: MPI_Reduce(in, out, elements, MPI_INT, MPI_SUM, 0, comm); return;
    case Collective::allreduce: MPI_Allreduce(in, out, elements, MPI_INT, MPI_SUM, comm); return;
    case Collective::reduce_scatter: MPI_Reduce_scatter_block(in, out, elements, MPI_INT, MPI_SUM, comm); return;
    case Collective::reduce_scatterv: MPI_Reduce_scatter(in, out, element_counts.data(), MPI_INT, MPI_SUM, comm); return;
    case Collective::scan: MPI_Scan(in, out, elements, MPI_INT, MPI_SUM, comm); return;
    case Collective::exscan: MPI_Exscan(in, out, elements, MPI_INT, MPI_SUM, comm); return;
    case Collective::scatter: MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm); return;
    case Collective::scatterv: MPI_Scatterv(in, c, d, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm); return;
    case Collective::gather: MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, comm); return;
    case Collective::gatherv: MPI_Gatherv(in, bytes, MPI_BYTE, out, c, d, MPI_BYTE, 0, comm); return;
    case Collective::barrier: MPI_Barrier(comm); return;
  }
}

// Returns what this rank sends in one call, by receiver.
std::map<std::uint64_t, Sent> sent_in(Collective collective, int ranks, int bytes, MPI_Comm comm) {
  MPI_Barrier(comm);
  all_sent.clear();
  bytes_are_known = true;
  call(collective, ranks, bytes, comm);
  std::map<std::uint64_t, Sent> sent = all_sent;
  if (this_rank) sent.erase(*this_rank);
  return sent;
}

// Finds out which receiver stands for this rank.
void send_to_itself() {
  int rank = 0, sent = 0, received = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  all_sent.clear();
  MPI_Sendrecv(&sent, 1, MPI_INT, rank, 0, &received, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!all_sent.empty()) this_rank = all_sent.begin()->first;
}

std::map<std::uint64_t, Sent> sent_by(const Schedule& schedule, Rank rank) {
  std::map<std::uint64_t, Sent> sent;
  const Program program = schedule.program(rank);
  for (const Round& round : program.rounds) {
    for (const Message& message : round.sends) {
      Sent& to = sent[static_cast<std::uint64_t>(message.peer)];
      ++to.messages;
      to.bytes += bytes(message.regions);
    }
    for (const Control& control : round.control_sends) ++sent[static_cast<std::uint64_t>(control.peer)].messages;
  }
  return sent;
}

std::string text_of(const std::map<std::uint64_t, Sent>& sent) {
  std::string text;
  for (const auto& [peer, to] : sent) text += fmt::format(" {}: {} of {} B", peer, to.messages, to.bytes);
  return text.empty() ? " nothing" : text;
}

// Adds up what goes to ranks of the same distance, in both directions around the ring: some algorithms of our table are mirror
// images of the library's. The endpoints of MPICH have no ranks, so there the numbers alone are compared.
std::map<std::uint64_t, Sent> by_distance(const std::map<std::uint64_t, Sent>& sent, Rank rank, Count ranks) {
  std::map<std::uint64_t, Sent> sums;
  for (const auto& [peer, to] : sent) {
    const Count ahead = (static_cast<Count>(peer) - rank + ranks) % ranks;
    Sent& sum = sums[static_cast<std::uint64_t>(std::min(ahead, ranks - ahead))];
    sum.messages += to.messages, sum.bytes += to.bytes;
  }
  return sums;
}

std::vector<Sent> sorted(const std::map<std::uint64_t, Sent>& sent) {
  std::vector<Sent> list;
  for (const auto& each : sent) list.push_back(each.second);
  std::sort(list.begin(), list.end());
  return list;
}

bool same(const std::map<std::uint64_t, Sent>& scheduled, const std::map<std::uint64_t, Sent>& seen, Rank rank,
          const Problem& problem, bool bytes_too) {
  // If the ranks do not divide a vector, the libraries give the remainder to one share, and we spread it.
  const CollectiveFacts& facts = facts_of(problem.collective);
  const bool has_shares = facts.input.holding == Holding::one && facts.output.holding == Holding::one;
  const Bytes remainder = has_shares ? problem.ranks * problem.element_bytes : 0;
  const auto alike = [&](const Sent& one, const Sent& other) {
    return one.messages == other.messages && (!bytes_too || std::abs(one.bytes - other.bytes) <= one.messages * remainder);
  };
  if (!receivers_are_ranks) {
    const std::vector<Sent> one = sorted(scheduled), other = sorted(seen);
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), alike);
  }
  const auto one = by_distance(scheduled, rank, problem.ranks), other = by_distance(seen, rank, problem.ranks);
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](const auto& a, const auto& b) { return a.first == b.first && alike(a.second, b.second); });
}

struct Totals {
  Count cases = 0, forced = 0, scheduled = 0, wrong = 0;
};

// Compares calls of one collective and size.
class Comparison {
 public:
  Comparison(Collective collective, Rank rank, Count ranks, Bytes bytes, MPI_Comm comm, Totals& totals)
      : problem_(problem_of(collective, ranks, bytes)),
        rank_(rank),
        bytes_(bytes),
        comm_(comm),
        totals_(totals),
        variable_(variable_for(collective)) {}

  // The library's own choice with what the rules say.
  void own_choice() {
    const auto algorithm = vendor_algorithm(library, problem_);
    if (!algorithm) return;
    ++totals_.cases;
    const auto own = sent(comm_);
    const bool known = bytes_are_known;
    if (const auto other = forced(*algorithm)) {
      ++totals_.forced;
      if (*other != own) differs(*algorithm, own, "forced", *other);
    }
    with_schedule(*algorithm, own, known);
  }

  // Each of the library's algorithms with ours. MPICH ends the program if some are forced where they do not apply.
  void all_algorithms() {
    for (const std::string& algorithm : variable_.algorithms())
      if ((problem_.ranks == 2 || algorithm != "two_proc") && variable_.value_of(algorithm) &&
          vendor_equivalent(library, problem_, algorithm))
        if (const auto seen = forced(algorithm)) with_schedule(algorithm, *seen, bytes_are_known);
  }

 private:
  using Matrix = std::map<std::uint64_t, Sent>;

  Matrix sent(MPI_Comm comm) const {
    return sent_in(problem_.collective, static_cast<int>(problem_.ranks), static_cast<int>(bytes_), comm);
  }

  std::optional<Matrix> forced(const std::string& algorithm) {
    const auto value = variable_.value_of(algorithm);
    if (!value) return std::nullopt;
    // Forced chains have a fan-out of 4, those of the rules one of 1.
    Variable fan_out(variable_for(problem_.collective) + "_chain_fanout");
    fan_out.write(1);
    const int standard = variable_.read();
    if (!variable_.write(*value)) return std::nullopt;
    MPI_Comm made = MPI_COMM_NULL;  // Open MPI reads the variable when a communicator is made, MPICH in each call
    MPI_Comm_dup(comm_, &made);
    const Matrix seen = sent(made);
    variable_.write(standard);
    MPI_Comm_free(&made);
    return seen;
  }

  void with_schedule(const std::string& algorithm, const Matrix& seen, bool bytes_too) {
    const auto ours = vendor_equivalent(library, problem_, algorithm);
    if (!ours) return;
    ++totals_.scheduled;
    if (const auto made = sent_by(make_schedule(problem_, *ours), rank_); !same(made, seen, rank_, problem_, bytes_too))
      differs(algorithm, seen, specification(*ours), made);
  }

  void differs(const std::string& algorithm, const Matrix& seen, const std::string& what, const Matrix& other) {
    ++totals_.wrong;
    fmt::print("{} of {} B among {} ranks, {}: rank {} sends{}; {}:{}\n", name(problem_.collective), bytes_, problem_.ranks,
               algorithm, rank_, text_of(seen), what, text_of(other));
  }

  Problem problem_;
  Rank rank_;
  Bytes bytes_;
  MPI_Comm comm_;
  Totals& totals_;
  Variable variable_;
};

int run() {
  int rank = 0, size = 0, provided = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T does not start");
  MPI_Barrier(MPI_COMM_WORLD);
  if (all_sent.empty()) {
    if (rank == 0) fmt::print("skipped: the messages of this MPI cannot be seen\n");
    return 0;
  }
  send_to_itself();
  std::vector<Bytes> sizes{4, 64, 1024, 8192, 65536};
  const char* const all = std::getenv("QUADRILLE_LONG");
  const bool is_long = all && std::string(all) == "1";
  if (is_long) {
    sizes.clear();
    for (Bytes power = 8; power <= (1 << 20); power *= 2)
      for (const Bytes bytes : {power - 4, power}) sizes.push_back(bytes);
  }
  Totals totals;
  for (int ranks = 2; ranks <= size; ++ranks) {
    if (!is_long && (ranks == 6 || ranks == 7)) continue;
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
    if (some == MPI_COMM_NULL) continue;
    for (const Collective collective : all_collectives()) {
      for (const Bytes bytes : moves_data(collective) ? sizes : std::vector<Bytes>{0})
        Comparison(collective, rank, ranks, bytes, some, totals).own_choice();
      for (const Bytes bytes : moves_data(collective) ? std::vector<Bytes>{8, 1024} : std::vector<Bytes>{0})
        Comparison(collective, rank, ranks, bytes, some, totals).all_algorithms();
    }
    MPI_Comm_free(&some);
  }
  std::int64_t wrong = totals.wrong, all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    fmt::print("{} cases at rank 0, {} compared with the algorithm forced, {} with a schedule; {} differences at all ranks\n",
               totals.cases, totals.forced, totals.scheduled, all_wrong);
  return all_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace quadrille

// The libraries call these functions across the borders of their shared objects, and the dynamic linker finds them here first.
#ifdef OPEN_MPI
// The component pml/monitoring calls this of its library for each message.
extern "C" void mca_common_monitoring_record_pml(int rank, std::size_t bytes, int) {
  quadrille::Sent& sent = quadrille::all_sent[static_cast<std::uint64_t>(rank)];
  ++sent.messages;
  sent.bytes += static_cast<quadrille::Bytes>(bytes);
}
#else
namespace {

struct UcxParameters {  // as ucp_request_param_t begins
  std::uint32_t fields, flags;
  void *request, *callback;
  std::uint64_t datatype;
};

}  // namespace

// MPICH calls this for each message, if its own shared memory is switched off.
extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* buffer, std::size_t count, std::uint64_t tag,
                                  const UcxParameters* parameters) {
  using Function = void* (*)(void*, const void*, std::size_t, std::uint64_t, const UcxParameters*);
  static const auto send = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ucp_tag_send_nbx"));
  quadrille::Sent& sent = quadrille::all_sent[reinterpret_cast<std::uintptr_t>(endpoint)];
  ++sent.messages;
  constexpr std::uint32_t has_datatype = 8;
  constexpr std::uint64_t class_bits = 7;  // 0: so many bytes one after the other
  const std::uint64_t datatype = parameters->fields & has_datatype ? parameters->datatype : 1 << 3;
  if ((datatype & class_bits) == 0)
    sent.bytes += static_cast<quadrille::Bytes>(count * (datatype >> 3));
  else
    quadrille::bytes_are_known = false;
  return send(endpoint, buffer, count, tag, parameters);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = quadrille::run();
  MPI_Finalize();
  return code;
}
