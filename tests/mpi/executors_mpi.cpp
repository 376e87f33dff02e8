// SPDX-License-Identifier: BSD-3-Clause
// Compares the executors with the interpreter, under a launcher: by messages, by shared memory and by both (if the environment says
// that nodes are to be assumed). Covers every algorithm of the table, every policy, messages cut into parts, long messages copied
// once, rounding sums against the vendor's, and checks that our code allocates nothing while a plan executes. Under `quadrille run`
// there are neither messages nor a vendor.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "execute/executions/execution.hpp"
#include "execute/script/script.hpp"
#include "execute/shared/meet.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/call.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/traced_run.hpp"
#include "support/agreement.hpp"
#include "support/allocations.hpp"
#include "support/rounding.hpp"
#include "support/trace_order.hpp"

namespace quadrille::testing {

// Collective. Compares our floating-point sums with the vendor's, within the rounding error of both. Returns what is wrong, the
// same on all ranks.
std::string first_difference_from_vendor(Communicator& communicator) {
  const Count p = communicator.size();
  const auto me = static_cast<std::size_t>(communicator.rank());
  const auto sum = built_in_operator("sum", "f32");
  for (const Collective collective : reductions()) {
    const Problem problem = sums(collective, p, is_rooted(collective) ? p - 1 : 0, false);
    const std::vector<ByteVector> inputs = inputs_that_round(problem);
    ByteVector vendors(static_cast<std::size_t>(output_bytes(problem, communicator.rank()))), ours(vendors.size());
    plan(communicator, problem, {.algorithm = "vendor", .operation = sum}).execute(inputs[me].data(), vendors.data());
    for (const Algorithm* algorithm : algorithms_for(collective)) {
      if (!applies(problem, standard_choice(*algorithm, problem))) continue;
      plan(communicator, problem, {.algorithm = std::string(algorithm->id), .operation = sum})
          .execute(inputs[me].data(), ours.data());
      const double mine = rounding_difference(problem, communicator.rank(), inputs, ours, vendors);
      std::vector<double> all(static_cast<std::size_t>(p));
      communicator.all_gather(&mine, all.data(), sizeof mine);
      if (const double most = *std::max_element(all.begin(), all.end()); most > 1)
        return fmt::format("{}/{} is {} times as far from the vendor's sum as rounding explains", name(collective), algorithm->id,
                           most);
    }
  }
  return "";
}

// Collective. Runs the vendor's alltoallv with one block of each rank for all its targets. Returns what is wrong, the same on all
// ranks.
std::string first_fault_of_shared_blocks(Communicator& communicator) {
  const Problem problem = with_one_block_each(problem_of(Collective::alltoallv, communicator.size(), 40));
  const auto data = probe_data(problem, communicator.rank());
  ByteVector input(index(input_bytes(problem, communicator.rank()))), output(index(output_bytes(problem, communicator.rank())));
  data->fill_input(0, input.data());
  plan(communicator, problem, {.algorithm = "vendor"}).execute(input.data(), output.data());
  const char wrong = data->compare_output(0, output.data()).empty() ? 0 : 1;
  std::vector<char> all(index(communicator.size()));
  communicator.all_gather(&wrong, all.data(), 1);
  return std::count(all.begin(), all.end(), 0) == communicator.size() ? "" : "the vendor's alltoallv with shared blocks is wrong";
}

// Collective. Nodes must be numbered in the order of their first ranks, equally on all ranks. Returns what is wrong, the same on
// all ranks.
std::string first_fault_of_nodes(Communicator& communicator) {
  const std::vector<Count> nodes = communicator.nodes();
  if (static_cast<Count>(nodes.size()) != communicator.size()) return "there is not one node for each rank";
  Count known = 0;
  for (const Count node : nodes) {
    if (node < 0 || node > known) return "nodes are not numbered by their first ranks";
    known = std::max(known, node + 1);
  }
  std::vector<Count> all(nodes.size() * nodes.size());
  communicator.all_gather(nodes.data(), all.data(), static_cast<Bytes>(nodes.size() * sizeof(Count)));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != nodes[i % nodes.size()]) return "ranks disagree about nodes";
  return communicator.nodes() == nodes ? "" : "nodes change";
}

// Collective. Gathers and broadcasts data of many lengths: between nodes, short data takes another way than long data.
std::string first_fault_of_gathers(Communicator& communicator) {
  const Count p = communicator.size();
  const auto byte = [](Rank rank, Bytes at) { return static_cast<std::byte>(7 * rank + 3 * at + 0x81); };
  const Bytes limit = (Bytes{64} << 10) / p;
  for (const Bytes count : {Bytes{1}, Bytes{8}, Bytes{1000}, limit - 1, limit, limit + 1, Bytes{100'000}}) {
    ByteVector mine(static_cast<std::size_t>(count)), all(static_cast<std::size_t>(p * count), std::byte{0xFF});
    for (Bytes at = 0; at < count; ++at) mine[static_cast<std::size_t>(at)] = byte(communicator.rank(), at);
    communicator.all_gather(mine.data(), all.data(), count);
    for (Rank rank = 0; rank < p; ++rank)
      for (Bytes at = 0; at < count; ++at)
        if (all[static_cast<std::size_t>(rank * count + at)] != byte(rank, at)) return fmt::format("a wrong gather of {} B", count);
    for (Rank from = 0; from < p; ++from) {
      ByteVector data = mine;
      communicator.transport().broadcast(data.data(), count, from);
      for (Bytes at = 0; at < count; ++at)
        if (data[static_cast<std::size_t>(at)] != byte(from, at)) return fmt::format("a wrong broadcast of {} B", count);
    }
  }
  return "";
}

// Collective. Traces runs of several algorithms. Returns at rank 0 what is wrong in the first trace that is.
std::string first_fault_of_traces(Communicator& communicator, Executor executor) {
  const Count p = communicator.size();
  for (const char* algorithm : {"bruck", "direct", "ring"})
    for (const Bytes block_bytes : {Bytes{8}, Bytes{100'000}})
      for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
        const Schedule schedule = make_schedule(Problem::alltoall(p, block_bytes), algorithm);
        ByteVector input(static_cast<std::size_t>(p * block_bytes)), output(input.size());
        const Trace trace =
            traced_run(communicator, schedule, {.policy = policy, .executor = executor}, input.data(), output.data(), 1);
        if (communicator.rank() != 0) continue;
        if (const std::string wrong = first_disorder(trace, trace.times.at(1), schedule); !wrong.empty())
          return fmt::format("a trace of {} by {}, policy {}: {}", algorithm, name(executor), static_cast<int>(policy), wrong);
      }
  return "";
}

// Collective. The last rank cannot allocate the memory of a script; the other ranks must get an error, too. Returns what is wrong,
// as the first rank that finds something says it.
std::string first_fault_of_agreement(Communicator& communicator) {
  const Rank me = communicator.rank(), last = communicator.size() - 1;
  for (Transport* transport : communicator.transport().offered()) {
    Program program = make_schedule(Problem::alltoall(communicator.size(), 8), "direct").program(me);
    if (me == last) program.scratch_bytes = Bytes{1} << 61;
    std::string said;
    try {
      transport->prepare(std::make_shared<const Script>(make_script(program, communicator.size(), {})));
    } catch (const Error& error) {
      said = error.what();
    }
    const std::string prefix = me == last ? "there is not enough" : fmt::format("rank {}: there is not enough", last);
    if (!said.starts_with(prefix)) return fmt::format("rank {} throws '{}' by {}", me, said, name(transport->executor()));
  }
  return "";
}

// Collective. No memory is taken for the parts of messages that are far too long; all ranks get an error.
std::string first_fault_of_huge_messages(Communicator& communicator) {
  try {
    plan(communicator, Problem::broadcast(communicator.size(), Bytes{1} << 56),
         {.algorithm = "binomial", .executor = Executor::mpi});
    return communicator.size() > 1 ? "a broadcast of 2^56 bytes was planned" : "";
  } catch (const Error& error) {
    const bool says_why = std::string_view(error.what()).find("more than 4194304 parts") != std::string_view::npos;
    return says_why && error.code() == ErrorCode::too_large ? "" : error.what();
  }
}

// Collective. While an execution is in flight, a blocking collective of the vendor must advance it.
std::string first_fault_beside_vendor(Communicator& communicator) {
  const Count p = communicator.size();
  const Problem problem = Problem::alltoall(p, 8);
  Plan ours = plan(communicator, problem, {.algorithm = "bruck", .executor = Executor::mpi});
  Plan vendors = plan(communicator, problem, {.algorithm = "vendor"});
  std::vector<std::int64_t> input(index(p)), output(index(p)), vendors_output(index(p));
  for (Rank rank = 0; rank < p; ++rank) input[index(rank)] = communicator.rank() * p + rank;
  Request request = ours.start(input.data(), output.data());
  if (communicator.rank() > 0) request.wait();
  vendors.execute(input.data(), vendors_output.data());
  request.wait();
  return output == vendors_output ? "" : "what was in flight beside the vendor's alltoall has other results";
}

// Collective. Calls with sizes in turn, of which elastic plans run most. Returns what is wrong at this rank.
std::string first_fault_of_sizes(Communicator& communicator, Executor executor) {
  int turn = 0;
  const bool all_sizes = communicator.size() <= 3 || long_tests();  // more ranks are slow if they share cores
  for (const Algorithm* const algorithm : all_algorithms())
    for (const Count elements :
         all_sizes ? std::vector<Count>{33, 64, 40, 57, 33, 2500, 4096, 2049, 4095} : std::vector<Count>{33, 57, 40}) {
      if (is_irregular(algorithm->collective) || algorithm->cuts_blocks) continue;
      Problem problem = problem_of(algorithm->collective, communicator.size(), elements, communicator.size() - 1);
      if (is_reduction(algorithm->collective)) problem = with_elements_of(problem, 8);
      if (!applies(problem, standard_choice(*algorithm, problem))) continue;
      const auto data = probe_data(problem, communicator.rank());
      ByteVector input(index(input_bytes(problem, communicator.rank()))), output(index(output_bytes(problem, communicator.rank())));
      const int pass = ++turn % data->pass_count();
      data->fill_input(pass, input.data());
      data->spoil_output(pass, output.data());
      execute(communicator, problem, input.data(), output.data(), operation_for(problem),
              {.algorithm = algorithm->id, .policy = static_cast<Policy>(turn / 9 % 3), .executor = executor});
      if (const std::string wrong = data->compare_output(pass, output.data()); !wrong.empty())
        return fmt::format("{} with {} by {}: {}", description(problem), algorithm->id, name(executor), wrong);
    }
  return "";
}

}  // namespace quadrille::testing

int main() {
  using namespace quadrille;
  std::unique_ptr<Communicator> communicator;
  try {
    communicator = launched_world();
    const auto fail = [&](const std::string& sentence) {
      std::fprintf(stderr, "rank %lld: %s\n", static_cast<long long>(communicator->rank()), sentence.c_str());
      communicator->abort(1);
    };
    if (const std::string wrong = testing::first_fault_of_nodes(*communicator); !wrong.empty()) fail(wrong);
    if (const std::string wrong = testing::first_fault_of_gathers(*communicator); !wrong.empty()) fail(wrong);
    if (const std::string wrong = testing::first_fault_of_agreement(*communicator); !wrong.empty()) fail(wrong);
    const bool few = communicator->size() <= 3;  // more ranks are slow if they share cores
    using Sizes = std::vector<Bytes>;
    const Sizes sizes = testing::long_tests() ? (few ? Sizes{0, 1, 8, 3000} : Sizes{8, 3000}) : few ? Sizes{0, 3000} : Sizes{3000};
    const Count most_number = few ? (testing::long_tests() ? 3 : 2) : 1;
    const std::size_t most_settings = testing::long_tests() ? 1000 : few ? 4 : 2;
    const auto check_agreement = [&](Communicator& ranks, const std::vector<Bytes>& blocks, Count most,
                                     const PlanOptions& options) {
      if (const std::string wrong = testing::first_disagreement(ranks, blocks, most, options, most_settings); !wrong.empty())
        fail(wrong);
    };
    Transport& own = communicator->transport();
    const Transport& preferred = *own.offered().front();
    if (preferred.executor() == Executor::mpi) fail(own.no_sharing());
    const bool mpi = &preferred != &own, one_node = preferred.executor() == Executor::shared;
    if (!mpi) try {
        shared_world();
        fail("a process joined its group twice");
      } catch (const Error&) {}
    if (one_node) check_agreement(*communicator, sizes, most_number, {.executor = Executor::shared});
    if (!one_node) {
      check_agreement(*communicator, {3000}, 1, {.executor = Executor::hybrid});
      if (const std::string wrong = testing::first_allocation(*communicator, Executor::hybrid); !wrong.empty()) fail(wrong);
      if (const std::string wrong = testing::first_fault_of_traces(*communicator, Executor::hybrid); !wrong.empty()) fail(wrong);
      for (const Executor executor : {Executor::hybrid, Executor::mpi})
        if (const std::string wrong = testing::first_fault_of_sizes(*communicator, executor); !wrong.empty()) fail(wrong);
      communicator->barrier();
      return 0;
    }
    if (const std::string wrong = testing::first_fault_of_sizes(*communicator, Executor::shared); !wrong.empty()) fail(wrong);
    if (mpi) {
      if (const std::string wrong = testing::first_fault_of_sizes(*communicator, Executor::mpi); !wrong.empty()) fail(wrong);
      check_agreement(*communicator, sizes, most_number, {.executor = Executor::mpi});
      check_agreement(*communicator, {64}, most_number, {.executor = Executor::mpi, .longest_message = 100});
      if (const std::string wrong = testing::first_fault_of_huge_messages(*communicator); !wrong.empty()) fail(wrong);
      if (const std::string wrong = testing::first_difference_from_vendor(*communicator); !wrong.empty()) fail(wrong);
      if (const std::string wrong = testing::first_fault_of_shared_blocks(*communicator); !wrong.empty()) fail(wrong);
      if (const std::string wrong = testing::first_fault_beside_vendor(*communicator); !wrong.empty()) fail(wrong);
      if (const std::string wrong = testing::first_allocation(*communicator, Executor::mpi); !wrong.empty()) fail(wrong);
      if (const std::string wrong = testing::first_fault_of_traces(*communicator, Executor::mpi); !wrong.empty()) fail(wrong);
    }
    if (const std::string wrong = testing::first_fault_of_traces(*communicator, Executor::shared); !wrong.empty()) fail(wrong);
    // If copying once costs nothing, every message that can be is copied once.
    CopyCosts costs;
    costs.once.fill(0);
    costs.wait = 0;
    const Met eager = meet(*communicator, {}, costs);
    if (!eager.node) fail(eager.no_sharing);
    check_agreement(*eager.node, {1500}, 1, {});
    if (const std::string wrong = testing::first_allocation(*communicator); !wrong.empty()) fail(wrong);
    communicator->barrier();
    if (communicator->rank() == 0)
      std::printf("%s, %lld ranks: agrees with the interpreter\n", std::string(communicator->transport_name()).c_str(),
                  static_cast<long long>(communicator->size()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (communicator) communicator->abort(1);  // the others may be waiting
    return 1;
  }
}
