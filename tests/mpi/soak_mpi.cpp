// SPDX-License-Identifier: BSD-3-Clause
// Mixed collectives back to back, with checked data: any collective, size, algorithm and policy, from memory of either kind, plans
// that come and go. Usage: soak_mpi [COLLECTIVES [SEED]], under any launcher; few by default. Says at the end whether memory has
// grown.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "quadrille/transports.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {

Bytes resident_bytes() {
  Bytes total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * 4096;
}

// A plan with its buffers. All ranks draw alike.
class Occasion {
 public:
  Occasion(Communicator& communicator, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const auto algorithms = all_algorithms();
    std::optional<Choice> choice;
    Problem problem;
    while (!choice) {
      const Algorithm& algorithm = *algorithms[below(algorithms.size())];
      const Bytes sizes[] = {0, 1, 8, 100, 1024, 5000, 20000, 100000};
      problem = problem_of(algorithm.collective, communicator.size(), sizes[below(std::size(sizes) - (below(4) ? 2 : 0))],
                           static_cast<Rank>(below(ranks)), random());
      choice = standard_choice(algorithm, problem);
      if (!applies(problem, *choice)) choice.reset();
    }
    name_ = description(problem).substr(0, 100) + ' ' + std::string(choice->algorithm->id);
    const Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};
    data_ = probe_data(problem, communicator.rank());
    plan_.emplace(plan(communicator, problem,
                       {.algorithm = std::string(choice->algorithm->id),
                        .policy = policies[below(3)],
                        .executor = below(8) ? Executor::automatic : Executor::messages,
                        .operation = operation_for(problem)}));
    input_ = memory(communicator, input_bytes(problem, communicator.rank()), below(2) == 0);
    output_ = memory(communicator, output_bytes(problem, communicator.rank()), below(2) == 0);
  }

  std::string run(std::mt19937_64& random) {
    const int pass = static_cast<int>(random() % static_cast<std::uint64_t>(data_->pass_count()));
    data_->fill_input(pass, input_.get());
    data_->spoil_output(pass, output_.get());
    plan_->execute(input_.get(), output_.get());
    const std::string wrong = data_->compare_output(pass, output_.get());
    return wrong.empty() ? wrong : name_ + ": " + wrong;
  }

 private:
  static std::shared_ptr<std::byte> memory(Communicator& communicator, Bytes bytes, bool shared) {
    if (shared) return communicator.allocate(bytes);
    return {static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(std::max<Bytes>(bytes, 1)))), std::free};
  }

  std::string name_;
  std::unique_ptr<ProbeData> data_;
  std::shared_ptr<std::byte> input_, output_;  // outlive the plan
  std::optional<Plan> plan_;
};

}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille;
  std::unique_ptr<Communicator> communicator;
  try {
    const long collectives = count > 1 ? std::atol(arguments[1]) : 2000;
    communicator = launched_world();
    std::mt19937_64 random(count > 2 ? static_cast<std::uint64_t>(std::atol(arguments[2])) : 1);
    std::vector<testing::Occasion> occasions;
    for (int i = 0; i < 30; ++i) occasions.emplace_back(*communicator, random);
    Bytes before = 0;
    for (long done = 0; done < collectives; ++done) {
      if (random() % 200 == 0) occasions[random() % occasions.size()] = testing::Occasion(*communicator, random);
      if (done == collectives / 5) before = testing::resident_bytes();
      if (const std::string wrong = occasions[random() % occasions.size()].run(random); !wrong.empty())
        throw std::runtime_error(fmt::format("collective {}: {}", done, wrong));
    }
    communicator->barrier();
    if (communicator->rank() == 0)
      std::printf("%ld collectives among %lld ranks: all right; memory grew by %.1f MiB\n", collectives,
                  static_cast<long long>(communicator->size()),
                  static_cast<double>(testing::resident_bytes() - before) / (1 << 20));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (communicator) communicator->abort(1);  // the others may be waiting
    return 1;
  }
}
