// SPDX-License-Identifier: BSD-3-Clause
// Compares exchanges by edges (src/execute/executions/exchanger.hpp) with MPI_Alltoallv, all alternating in one process, from
// private memory. Patterns: equal (each pair has the same bytes), spike (one pair has p times as many, the others an eighth),
// transpose (each rank sends to one), sparse (each rank sends to at most four), changing (different sizes at each call, with that
// mean), neighbors (four edges of each rank, by neighbor_alltoallv, and MPI_Neighbor_alltoallv in place of MPI_Alltoallv). At equal
// sizes on one node a kept plan of alltoall/direct, the prototype (prototype.hpp) and MPI_Alltoall take part, too. Prints a line
// for each pattern and size: MPI library, ranks, pattern, bytes, MPI_Alltoallv's and our time in microseconds, their ratio and its
// interval, the most bytes that a node sends to others or receives from them (0 on one node) and, at equal sizes on one node, the
// times of the plan, the prototype and MPI_Alltoall. Usage, under mpirun: exchange_mpi [--repetitions N] [--most BYTES] [--pattern
// NAME]
// With --edges N it measures long lists instead: each rank sends N edges to the rank half the ranks further on, of 8 B, 700 B and
// 16 KiB up to --most, and plain MPI takes part by N receives, N sends and MPI_Waitall.
#include <cstdio>
#include <optional>
#include <string>

#include "execute/executions/exchanger.hpp"
#include "mpi_program.hpp"
#include "mpi_times.hpp"
#include "prototype.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/mpi.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille::bench {
namespace {

struct Settings {
  long repetitions = 11;
  Bytes most = Bytes{1} << 20;
  std::string pattern;  // the only pattern to measure; empty: all
  long edges = 0;       // of a long list; 0: no long lists
};

constexpr const char* patterns[] = {"equal", "spike", "transpose", "sparse", "changing", "neighbors"};
constexpr Rank steps[] = {1, 3, -1, -3};  // from a rank to those to which it sends, if it does not send to all
Rank neighbor(Rank rank, Rank step, Count p) { return ((rank + step) % p + p) % p; }

constexpr int variants = 16;  // number of variants of the sizes, used in turn by patterns that change

Bytes size_of(const std::string& pattern, Bytes mean, Rank from, Rank to, Count p, int variant) {
  if (pattern == "equal") return mean;
  if (pattern == "spike") return from == 0 && to == p - 1 ? p * mean : mean / 8;
  if (pattern == "transpose") return to == p - 1 - from ? mean : 0;
  if (pattern == "sparse" || pattern == "neighbors") {
    const Count edges = std::count_if(std::begin(steps), std::end(steps), [&](Rank step) { return neighbor(from, step, p) == to; });
    return mean * (pattern == "sparse" ? std::min<Count>(edges, 1) : edges);
  }
  auto x = static_cast<std::uint64_t>((from * p + to) * variants + variant + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<Bytes>((x >> 33) % static_cast<std::uint64_t>(2 * mean + 1));
}

// The sizes of one call, as our arguments and as MPI's, over one pair of buffers.
struct Call {
  std::vector<int> send_counts, send_places, receive_counts, receive_places;
  EdgeLists edges;
};

// The arguments of a call among neighbours.
struct NeighborCall {
  NeighborCall(Communicator& ranks, Bytes mean) : counts(std::size(steps), static_cast<int>(mean)) {
    std::vector<int> sources, destinations;
    for (const Rank step : steps) {
      places.push_back(static_cast<int>(size(sources) * mean));
      sources.push_back(static_cast<int>(neighbor(ranks.rank(), -step, ranks.size())));
      destinations.push_back(static_cast<int>(neighbor(ranks.rank(), step, ranks.size())));
    }
    neighbors.emplace(std::vector<Rank>(sources.begin(), sources.end()),
                      std::vector<Rank>(destinations.begin(), destinations.end()));
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
  }
  NeighborCall(const NeighborCall&) = delete;
  NeighborCall& operator=(const NeighborCall&) = delete;
  ~NeighborCall() { MPI_Comm_free(&graph); }

  std::optional<Neighbors> neighbors;
  std::vector<int> counts, places;
  MPI_Comm graph = MPI_COMM_NULL;
};

class Cell {
 public:
  Cell(Communicator& ranks, Exchanger& exchange, const std::string& pattern, Bytes mean) : ranks_(ranks), exchange_(exchange) {
    const Rank me = ranks.rank();
    const Count p = ranks.size();
    Bytes most = 0;
    for (int variant = 0; variant < (pattern == "changing" ? variants : 1); ++variant) {
      Call call;
      Bytes sent = 0, received = 0;
      for (Rank rank = 0; rank < p; ++rank) {
        const Bytes out = size_of(pattern, mean, me, rank, p, variant), in = size_of(pattern, mean, rank, me, p, variant);
        call.send_counts.push_back(static_cast<int>(out));
        call.send_places.push_back(static_cast<int>(sent));
        call.receive_counts.push_back(static_cast<int>(in));
        call.receive_places.push_back(static_cast<int>(received));
        sent += out;
        received += in;
      }
      most = std::max({most, sent, received});
      calls_.push_back(std::move(call));
    }
    input_.resize(static_cast<std::size_t>(most), std::byte{1});
    output_.resize(input_.size());
    for (Call& call : calls_)
      for (std::size_t rank = 0; rank < call.send_counts.size(); ++rank) {
        call.edges.send(static_cast<Rank>(rank), input_.data() + call.send_places[rank], call.send_counts[rank]);
        call.edges.receive(static_cast<Rank>(rank), output_.data() + call.receive_places[rank], call.receive_counts[rank]);
      }
    for (Call& call : calls_) call.edges.begin_after(me);
    node_bytes_ = busiest(ranks, calls_.front());
    if (pattern == "equal" && node_bytes_ == 0) {
      block_ = mean;
      prototype_.emplace(MPI_COMM_WORLD, mean);
      plan_.emplace(plan(ranks, Problem::alltoall(p, mean), {.algorithm = "direct", .executor = Executor::shared}));
    }
    if (pattern == "neighbors") around_.emplace(ranks, mean);
  }

  Bytes node_bytes() const { return node_bytes_; }

  static constexpr int ways = 5;
  bool has(int way) const { return way < 2 || plan_; }

  void run(int way, long executions) {
    if (around_) return run_among_neighbors(way, executions);
    for (long i = 0; i < executions; ++i) {
      const Call& call = calls_[static_cast<std::size_t>(i) % calls_.size()];
      switch (way) {
        case 0: exchange_.execute(call.edges.edges()); break;
        case 1:
          MPI_Alltoallv(input_.data(), call.send_counts.data(), call.send_places.data(), MPI_BYTE, output_.data(),
                        call.receive_counts.data(), call.receive_places.data(), MPI_BYTE, MPI_COMM_WORLD);
          break;
        case 2: plan_->execute(input_.data(), output_.data()); break;
        case 3: prototype_->alltoall(input_.data(), output_.data(), block_); break;
        default:
          MPI_Alltoall(input_.data(), static_cast<int>(block_), MPI_BYTE, output_.data(), static_cast<int>(block_), MPI_BYTE,
                       MPI_COMM_WORLD);
      }
    }
  }

 private:
  void run_among_neighbors(int way, long executions) {
    const auto& [neighbors, counts, places, graph] = *around_;
    for (long i = 0; i < executions; ++i)
      if (way == 0)
        neighbor_alltoallv(ranks_, *neighbors, input_, {counts, places}, output_, {counts, places});
      else
        MPI_Neighbor_alltoallv(input_.data(), counts.data(), places.data(), MPI_BYTE, output_.data(), counts.data(), places.data(),
                               MPI_BYTE, graph);
  }

  // Returns the most bytes that a node sends to others or receives from them in a call.
  static Bytes busiest(const Communicator& ranks, const Call& call) {
    const auto& nodes = ranks.nodes();
    const Count own = nodes[static_cast<std::size_t>(ranks.rank())];
    std::vector<Bytes> out(nodes.size()), in(nodes.size());
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      if (nodes[rank] == own) continue;
      out[static_cast<std::size_t>(own)] += call.send_counts[rank];
      in[static_cast<std::size_t>(own)] += call.receive_counts[rank];
    }
    for (auto* each : {&out, &in})
      MPI_Allreduce(MPI_IN_PLACE, each->data(), static_cast<int>(each->size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
  }

  Communicator& ranks_;
  Exchanger& exchange_;
  std::vector<Call> calls_;
  std::optional<NeighborCall> around_;
  std::vector<std::byte> input_, output_;
  std::optional<Plan> plan_;
  std::optional<Prototype> prototype_;
  Bytes block_ = 0, node_bytes_ = 0;
};

// Measures one pattern and size, and prints its line.
void measure(Communicator& ranks, Exchanger& exchange, const std::string& pattern, Bytes mean, long repetitions) {
  Cell cell(ranks, exchange, pattern, mean);
  const double sample_us = cell.node_bytes() > 0 ? 40'000 : 4000;  // between nodes, times vary more
  cell.run(1, 2);
  const double one_us = span_us([&] { cell.run(1, 3); }) / 3;  // the same on all ranks
  const auto executions = std::clamp(static_cast<long>(sample_us / one_us), 2L, 4000L);
  std::vector<double> times[Cell::ways];
  for (long repetition = -1; repetition < repetitions; ++repetition)
    for (int turn = 0; turn < Cell::ways; ++turn) {  // each way is first, second and last in a third of the repetitions
      const int way = static_cast<int>((turn + repetition + 1) % Cell::ways);
      if (!cell.has(way)) continue;
      const double us = span_us([&] { cell.run(way, executions); }) / static_cast<double>(executions);
      if (repetition >= 0) times[way].push_back(us);
    }
  if (ranks.rank() != 0) return;
  const Estimate gain = ratio(times[1], times[0]);
  std::printf("%s\t%lld\t%s\t%lld\t%.2f\t%.2f\t%.3f\t%.3f\t%.3f\t%lld", std::string(mpi_library).c_str(),
              static_cast<long long>(ranks.size()), pattern.c_str(), static_cast<long long>(mean), median(times[1]),
              median(times[0]), gain.median, gain.low, gain.high, static_cast<long long>(cell.node_bytes()));
  for (int way = 2; way < Cell::ways; ++way)
    if (cell.has(way)) std::printf("\t%.2f", median(times[way]));
  std::printf("\n");
  std::fflush(stdout);
}

// Measures a long list, and prints a line: MPI library, ranks, edges, bytes, times of plain MPI and of the exchange in
// milliseconds.
void measure_long_list(Communicator& ranks, Exchanger& exchange, Count edges, Bytes bytes, long repetitions) {
  const Count p = ranks.size();
  const Rank to = (ranks.rank() + p / 2) % p, from = (ranks.rank() + p - p / 2) % p;
  std::vector<std::byte> input(index(edges * bytes)), output(index(edges * bytes));
  EdgeLists lists;
  for (Count edge = 0; edge < edges; ++edge) {
    lists.send(to, &input[index(edge * bytes)], bytes);
    lists.receive(from, &output[index(edge * bytes)], bytes);
  }
  const auto plain = [&] {
    std::vector<MPI_Request> open(index(2 * edges));
    const int length = static_cast<int>(bytes);
    for (Count edge = 0; edge < edges; ++edge)
      MPI_Irecv(&output[index(edge * bytes)], length, MPI_BYTE, static_cast<int>(from), 0, MPI_COMM_WORLD, &open[index(edge)]);
    for (Count edge = 0; edge < edges; ++edge)
      MPI_Isend(&input[index(edge * bytes)], length, MPI_BYTE, static_cast<int>(to), 0, MPI_COMM_WORLD, &open[index(edges + edge)]);
    MPI_Waitall(static_cast<int>(2 * edges), open.data(), MPI_STATUSES_IGNORE);
  };
  const double plain_ms = span_us(plain) / 1000;  // once, because it may take half a minute
  std::vector<double> ours_ms;
  for (long repetition = 0; repetition < repetitions; ++repetition)
    ours_ms.push_back(span_us([&] { exchange.execute(lists.edges()); }) / 1000);
  if (ranks.rank() != 0) return;
  std::printf("%s\t%lld\t%lld\t%lld\t%.1f\t%.1f\n", std::string(mpi_library).c_str(), static_cast<long long>(p),
              static_cast<long long>(edges), static_cast<long long>(bytes), plain_ms, median(ours_ms));
  std::fflush(stdout);
}

void run(const Settings& settings) {
  const auto ranks = over(MPI_COMM_WORLD);
  const auto exchange = Exchanger::of(*ranks);
  if (settings.edges > 0) {
    for (const Bytes bytes : {8, 700, 16384})
      if (bytes <= settings.most) measure_long_list(*ranks, *exchange, settings.edges, bytes, settings.repetitions);
    return;
  }
  for (const std::string pattern : patterns)
    for (Bytes mean = 8; mean <= settings.most; mean *= mean < 64 ? 8 : 4)
      if (settings.pattern.empty() || settings.pattern == pattern) measure(*ranks, *exchange, pattern, mean, settings.repetitions);
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  Settings settings;
  const std::vector<ProgramOption> options{number("repetitions", settings.repetitions, 1), number("most", settings.most, 0),
                                           word("pattern", settings.pattern), number("edges", settings.edges, 0)};
  return run_program(count, arguments, options, [&] { run(settings); });
}
