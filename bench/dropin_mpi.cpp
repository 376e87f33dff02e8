// SPDX-License-Identifier: BSD-3-Clause
// Compares the drop-in with the MPI library's own collectives, alternating in one process: MPI_X, which the preloaded library
// defines, and PMPI_X. bench/dropin.sh starts it and summarises the output. Parts:
//   cells  alltoall, alltoallv (patterns as in exchange_mpi.cpp), allgather, allreduce and bcast at each size, after a
//          warm-up that is long enough for every choice to be made
//   sizes  1,000 different sizes in turn on one communicator: from the first call on, and in the steady state
//   pass   how much longer MPI_Allreduce of 8 B takes than PMPI_Allreduce, by the time stamp counter
//   messages  the same of MPI_Iprobe, which the drop-in sees only where it records
// Usage, under mpirun: quadrille wrap dropin_mpi [--part NAME] [--only COLLECTIVE[/PATTERN]] [--repetitions N] [--most BYTES]
// [--json FILE] [--label TEXT] [--control]
//   --json     appends an object a line; times in us, those of `pass` in ns
//   --label    a name for the output of part `pass`
//   --control  the drop-in may be absent, so that the program compares the MPI library with itself
#include <dlfcn.h>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "dropin_cell.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_program.hpp"
#include "mpi_times.hpp"

namespace quadrille::bench {
namespace {

struct Settings {
  long repetitions = 15;
  Bytes most = Bytes{1} << 20;
  std::string part, only, json, label;  // empty: all parts and collectives, no file, no label
  bool is_control = false;
};

// Writes results: a line on stdout, and an object in the file. Only rank 0 writes.
class Output {
 public:
  explicit Output(const std::string& file) {
    if (world().rank == 0 && !file.empty() && !(file_ = std::fopen(file.c_str(), "a")))
      throw std::runtime_error("cannot write " + file);
  }
  ~Output() {
    if (file_) std::fclose(file_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void ratios(const char* part, const std::string& what, Bytes bytes, const std::vector<double>& vendors_us,
              const std::vector<double>& ours_us) {
    if (world().rank != 0) return;
    const Estimate gain = ratio(vendors_us, ours_us);
    std::printf("%-8s %-20s %8lld B  vendor's %10.2f us  drop-in %10.2f us  ratio %5.2f [%.2f, %.2f]\n", part, what.c_str(),
                static_cast<long long>(bytes), median(vendors_us), median(ours_us), gain.median, gain.low, gain.high);
    std::fflush(stdout);
    if (!file_) return;
    begin(part, what, bytes);
    list("vendor_us", vendors_us);
    list("dropin_us", ours_us);
    end();
  }

  void differences(const std::string& what, const std::vector<double>& more_ns, double vendors_ns) {
    if (world().rank != 0) return;
    const Estimate more = estimate(more_ns);
    std::printf("%-8s %-20s %8d B  vendor's %10.1f ns  more by MPI_ %5.1f ns [%.1f, %.1f]\n", "pass", what.c_str(), 8, vendors_ns,
                more.median, more.low, more.high);
    if (!file_) return;
    begin("pass", what, 8);
    std::fprintf(file_, ",\"vendor_ns\":%.2f,\"more_ns\":%.2f,\"low\":%.2f,\"high\":%.2f", vendors_ns, more.median, more.low,
                 more.high);
    end();
  }

 private:
  void begin(const char* part, const std::string& what, Bytes bytes) {
    std::fprintf(file_, "{\"mpi\":\"%s\",\"ranks\":%d,\"part\":\"%s\",\"what\":\"%s\",\"bytes\":%lld", mpi_name, world().ranks,
                 part, what.c_str(), static_cast<long long>(bytes));
  }
  void list(const char* name, const std::vector<double>& values) {
    std::fprintf(file_, ",\"%s\":[", name);
    for (std::size_t i = 0; i < values.size(); ++i) std::fprintf(file_, "%s%.4g", i ? "," : "", values[i]);
    std::fprintf(file_, "]");
  }
  void end() {
    std::fprintf(file_, "}\n");
    std::fflush(file_);
  }

  std::FILE* file_ = nullptr;
};

// Times both ways alternately, each first in half of the repetitions. The time of work(way) is measured.
template <class Work>
void by_turns(long repetitions, double executions, std::vector<double> (&times)[2], const Work& work) {
  for (long repetition = 0; repetition < repetitions; ++repetition)
    for (int turn = 0; turn < 2; ++turn) {
      const Way way = (turn + repetition) % 2 ? drop_ins : vendors;
      times[way].push_back(span_us([&] { work(way); }) / executions);
    }
}

void check(bool is_right, const std::string& what) {
  int all = is_right ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) throw std::runtime_error(what + ": the drop-in's result differs from the MPI library's");
}

// Each cell has a communicator of its own, so that choices made for another cell cannot influence it.
void measure_cell(const Kind& kind, Bytes bytes, const Settings& settings, Output& output) {
  constexpr double sample_us = 3000, warm_up_us = 3e6;  // long, because trials may take 2 % of the run only
  constexpr long most_warm_up = 1'000'000, least_warm_up = 32, step = 8;
  Cell cell(kind, bytes);
  double warm_us = 0;  // the same on all ranks
  for (long calls = 0; calls < most_warm_up && (calls < least_warm_up || warm_us < warm_up_us); calls += step) {
    warm_us += span_us([&] { cell.run(drop_ins, step); });
    cell.synchronise();
  }
  check(cell.is_right(), name_of(kind));
  const double one_us = span_us([&] { cell.run(vendors, step); }) / step;
  const auto executions = std::clamp(static_cast<long>(sample_us / one_us), 2L, 10000L);
  std::vector<double> times[2];
  by_turns(settings.repetitions, static_cast<double>(executions), times, [&](Way way) { cell.run(way, executions); });
  output.ratios("cells", name_of(kind), bytes, times[vendors], times[drop_ins]);
}

bool is_wanted(const Kind& kind, const Settings& settings) {
  return settings.only.empty() || settings.only == kind.collective || settings.only == name_of(kind);
}

void measure_cells(const Settings& settings, Output& output) {
  for (const Kind& kind : kinds)
    for (Bytes bytes = 8; bytes <= settings.most; bytes *= bytes < 64 ? 8 : 4)
      if (is_wanted(kind, settings)) measure_cell(kind, bytes, settings, output);
}

// Measures the sizes 8, 16 ... 8,000 B in turn. The first 100 sweeps over the sizes happen only once, so they give one figure. The
// drop-in makes its plans during them or soon after.
void measure_sizes(const Settings& settings, Output& output) {
  constexpr int sizes = 1000;
  constexpr long first_sweeps = 100, further_sweeps = 300;
  for (const Kind& kind : kinds) {
    const bool has_size = kind.what == What::alltoall || kind.what == What::allreduce;
    if (!has_size || !is_wanted(kind, settings)) continue;
    Cell cell(kind, 8 * sizes);
    const auto sweep = [&](Way way) { cell.run_sizes(way, sizes); };
    std::vector<double> first[2], later[2];
    by_turns(first_sweeps, sizes, first, sweep);
    const auto sum = [](const std::vector<double>& list) { return std::accumulate(list.begin(), list.end(), 0.0) / first_sweeps; };
    output.ratios("sizes", name_of(kind) + ", first 100", 8 * sizes, {sum(first[vendors])}, {sum(first[drop_ins])});
    for (long i = 0; i < further_sweeps; ++i) sweep(drop_ins);
    by_turns(settings.repetitions, sizes, later, sweep);
    output.ratios("sizes", name_of(kind) + ", later", 8 * sizes, later[vendors], later[drop_ins]);
  }
}

// Alternates batches of calls and takes the differences of the pairs, from the rank where they are largest. `call_by(way)` is the
// function to call.
template <class CallBy>
void measure_pass(const std::string& what, const CallBy& call_by, Output& output) {
  constexpr int batches = 1000, calls = 200;
  std::vector<double> more, vendors_ticks;
  const auto batch = [&](Way way) {
    const auto call = call_by(way);
    const std::uint64_t start = quadrille::ticks();
    for (int i = 0; i < calls; ++i) call();
    return static_cast<double>(quadrille::ticks() - start) / calls;
  };
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t start_ticks = quadrille::ticks();
  for (int i = -100; i < batches; ++i) {
    const Way first = i % 2 ? vendors : drop_ins, second = i % 2 ? drop_ins : vendors;
    double times[2];
    times[first] = batch(first);
    times[second] = batch(second);
    if (i < 0) continue;
    more.push_back(times[drop_ins] - times[vendors]);
    vendors_ticks.push_back(times[vendors]);
  }
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  const double tick_ns = ns / static_cast<double>(quadrille::ticks() - start_ticks);
  for (double& each : more) each *= tick_ns;
  struct {
    double value;
    int rank;
  } most = {median(more), world().rank};
  PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  PMPI_Bcast(more.data(), batches, MPI_DOUBLE, most.rank, MPI_COMM_WORLD);
  output.differences(what, more, median(vendors_ticks) * tick_ns);
}

void measure_allreduce(const std::string& what, MPI_Datatype type, MPI_Op operation, Output& output) {
  const double in[2] = {1, 0};
  double out[2] = {};
  const auto call_by = [&](Way way) {
    return [&, allreduce = functions[way].allreduce] { allreduce(in, out, 1, type, operation, MPI_COMM_WORLD); };
  };
  measure_pass(what, call_by, output);
}

void measure_probe(const std::string& what, Output& output) {
  const auto call_by = [](Way way) {
    return [probe = way == vendors ? PMPI_Iprobe : MPI_Iprobe] {
      int is_there = 0;
      probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &is_there, MPI_STATUS_IGNORE);
    };
  };
  measure_pass(what, call_by, output);
}

void run(const Settings& settings) {
  if (!settings.is_control && !dlsym(RTLD_DEFAULT, "quadrille_alltoall"))
    throw std::runtime_error("the drop-in is not here; start this by quadrille wrap, or with --control");
  Output output(settings.json);
  if (world().rank == 0) std::printf("%s, %d ranks, %ld repetitions by turns\n", mpi_name, world().ranks, settings.repetitions);
  const auto has = [&](const char* part) { return settings.part.empty() || settings.part == part; };
  const std::string label = settings.label.empty() ? "" : ", " + settings.label;
  if (has("pass")) {
    measure_allreduce("allreduce" + label, MPI_DOUBLE, MPI_SUM, output);
    // The drop-in always passes reductions of pairs (such as MINLOC) through.
    measure_allreduce("allreduce of pairs" + label, MPI_2INT, MPI_MAXLOC, output);
  }
  if (has("messages")) measure_probe("probe" + label, output);
  if (world().ranks == 1) return;
  if (has("cells")) measure_cells(settings, output);
  if (has("sizes")) measure_sizes(settings, output);
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  Settings settings;
  const std::vector<ProgramOption> options{number("repetitions", settings.repetitions, 1),
                                           number("most", settings.most, 0),
                                           word("part", settings.part),
                                           word("only", settings.only),
                                           word("json", settings.json),
                                           word("label", settings.label),
                                           flag("control", settings.is_control)};
  return run_program(count, arguments, options, [&] { run(settings); });
}
