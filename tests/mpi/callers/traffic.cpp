// SPDX-License-Identifier: BSD-3-Clause
// Messages of the application in flight while one of our collectives runs. An MPI library moves a long message only while its
// process is inside an MPI call. So a rank that waits in our collective must drive MPI's progress, or its peer waits for ever.
// There are two parts: one message around each collective, for sizes from 1 KiB to 4 MiB; then random mixes of up to four messages.
// All patterns are correct for every MPI implementation, whether or not the collective synchronises; '--executor vendor' runs them
// with the vendor's collectives. Data is checked. A step that takes 20 s counts as a hang: the program names the step and exits
// with code 1. Usage, under mpirun: traffic [--mixes N] [--seed S] [--executor mpi|shared|hybrid|vendor]
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "execute/executors.hpp"
#include "quadrille/mpi.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {
namespace {

constexpr unsigned longest_step_s = 20;
constexpr std::size_t most_messages = 4;  // in a step
constexpr Bytes longest_message = Bytes{4} << 20;

// Describes the present step; the handler of SIGALRM needs nothing else.
std::array<char, 1000> current_step;
std::size_t current_step_length = 0;

void end_hanging_program(int) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, current_step.data(), current_step_length);
  ::_exit(1);
}

void begin_step(Rank rank, const std::string& step) {
  ::alarm(0);
  const std::string line = fmt::format("rank {} hangs for {} s in this step: {}\n", rank, longest_step_s, step);
  current_step_length = line.copy(current_step.data(), current_step.size());
  ::alarm(longest_step_s);
}

// One end of a message. A nonblocking call is completed at the end of the step.
struct Side {
  bool after = false;  // called after the collective
  bool blocking = false;
};

struct Message {
  Rank from = 0, to = 0;
  Bytes bytes = 0;
  bool synchronous = false;  // MPI_Ssend, MPI_Issend
  Side send, receive;

  // A blocking call may return only after the peer has called its side. So a blocking call before the collective must not wait for
  // a call after it.
  bool is_legal() const {
    return !(send.blocking && !send.after && receive.after) && !(receive.blocking && !receive.after && send.after);
  }

  std::string text() const {
    return fmt::format("{} B from {} to {} by {}{} {} and {} {} the collective", bytes, from, to, send.blocking ? "MPI_" : "MPI_I",
                       synchronous ? (send.blocking ? "Ssend" : "ssend") : (send.blocking ? "Send" : "send"),
                       send.after ? "after" : "before", receive.blocking ? "MPI_Recv" : "MPI_Irecv",
                       receive.after ? "after" : "before");
  }
};

void fill(std::byte* memory, Bytes bytes, std::uint64_t key) {
  for (Bytes done = 0; done < bytes; done += 8) {
    const std::uint64_t word = (key + static_cast<std::uint64_t>(done)) * 0x9E3779B97F4A7C15u;
    std::memcpy(memory + done, &word, static_cast<std::size_t>(std::min<Bytes>(8, bytes - done)));
  }
}

// A collective with its plan and its buffers.
class Occasion {
 public:
  Occasion(Communicator& communicator, Collective collective, Bytes block_bytes, std::string executor, std::mt19937_64& random)
      : collective_(collective), block_bytes_(block_bytes), executor_(std::move(executor)) {
    const Rank root = static_cast<Rank>(random()) & 1;
    Problem problem = problem_of(collective, communicator.size(), block_bytes, root);
    if (is_reduction(collective)) problem = with_elements_of(problem, 8);
    PlanOptions options{.policy = std::array{Policy::blocking, Policy::nonblocking, Policy::dataflow}[random() % 3],
                        .operation = operation_for(problem)};
    std::vector<Choice> choices;
    for (const Algorithm* algorithm : algorithms_for(collective))
      if (const Choice choice = standard_choice(*algorithm, problem); applies(problem, choice)) choices.push_back(choice);
    std::string algorithm(choices.at(random() % choices.size()).algorithm->id);
    if (executor_ == "vendor")
      algorithm = "vendor";
    else
      for (const ExecutorRow& row : all_executors())
        if (row.name == executor_) options.executor = row.executor;
    name_ = fmt::format("{}, {}, executor {}", description(problem), algorithm, executor_);
    options.algorithm = algorithm;
    data_ = probe_data(problem, communicator.rank());
    input_.resize(static_cast<std::size_t>(input_bytes(problem, communicator.rank())));
    output_.resize(static_cast<std::size_t>(output_bytes(problem, communicator.rank())));
    plan_.emplace(plan(communicator, problem, options));
  }

  Collective collective() const { return collective_; }
  Bytes block_bytes() const { return block_bytes_; }
  const std::string& name_of_all() const { return name_; }

  // Runs the collective and returns what is wrong; empty if nothing is.
  std::string run(std::uint64_t step) {
    const int pass = static_cast<int>(step % static_cast<std::uint64_t>(data_->pass_count()));
    data_->fill_input(pass, input_.data());
    data_->spoil_output(pass, output_.data());
    plan_->execute(input_.data(), output_.data());
    return data_->compare_output(pass, output_.data());
  }

 private:
  Collective collective_;
  Bytes block_bytes_;
  std::string executor_, name_;
  std::unique_ptr<ProbeData> data_;
  ByteVector input_, output_;
  std::optional<Plan> plan_;
};

// Messages before and after a collective. No step can deadlock: nonblocking calls never block, all of them are posted before the
// first blocking call of their phase, and every rank makes its blocking calls in the order of the list.
class Traffic {
 public:
  explicit Traffic(Rank rank) : rank_(rank) {
    for (auto* buffers : {&sent_, &received_})
      for (auto& buffer : *buffers) buffer = std::make_unique_for_overwrite<std::byte[]>(longest_message);
  }

  std::string run(const std::vector<Message>& messages, Occasion& occasion) {
    ++step_;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].from == rank_) fill(sent_[i].get(), messages[i].bytes, key(i));
      if (messages[i].to == rank_) fill(received_[i].get(), messages[i].bytes, ~key(i));
    }
    run_phase(messages, false);
    std::string wrong = occasion.run(step_);
    run_phase(messages, true);
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    requests_.clear();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].to != rank_) continue;
      fill(expected_.get(), messages[i].bytes, key(i));
      if (std::memcmp(received_[i].get(), expected_.get(), static_cast<std::size_t>(messages[i].bytes)) != 0)
        wrong += fmt::format(" message {} has other data than was sent", i);
    }
    return wrong;
  }

 private:
  static void check(int code) {
    if (code != MPI_SUCCESS) throw std::runtime_error("an MPI call failed");
  }

  std::uint64_t key(std::size_t message) const { return (step_ * most_messages + message) << 32; }

  void run_phase(const std::vector<Message>& messages, bool after) {
    for (const bool blocking : {false, true})
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message& message = messages[i];
        const auto is_now = [&](const Side& side) { return side.after == after && side.blocking == blocking; };
        if (message.from == rank_ && is_now(message.send)) send(message, i);
        if (message.to == rank_ && is_now(message.receive)) receive(message, i);
      }
  }

  void send(const Message& message, std::size_t i) {
    const auto call = message.synchronous ? MPI_Issend : MPI_Isend;
    const auto blocking_call = message.synchronous ? MPI_Ssend : MPI_Send;
    const int bytes = static_cast<int>(message.bytes), to = static_cast<int>(message.to), tag = static_cast<int>(i);
    if (message.send.blocking)
      check(blocking_call(sent_[i].get(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD));
    else
      check(call(sent_[i].get(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests_.emplace_back()));
  }

  void receive(const Message& message, std::size_t i) {
    const int bytes = static_cast<int>(message.bytes), from = static_cast<int>(message.from), tag = static_cast<int>(i);
    if (message.receive.blocking)
      check(MPI_Recv(received_[i].get(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
      check(MPI_Irecv(received_[i].get(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &requests_.emplace_back()));
  }

  const Rank rank_;
  std::uint64_t step_ = 0;
  std::array<std::unique_ptr<std::byte[]>, most_messages> sent_, received_;
  std::unique_ptr<std::byte[]> expected_ = std::make_unique_for_overwrite<std::byte[]>(longest_message);
  std::vector<MPI_Request> requests_;
};

Message random_message(Count ranks, std::mt19937_64& random) {
  const auto below = [&](Count n) { return static_cast<Count>(random() % static_cast<std::uint64_t>(n)); };
  Message message;
  message.from = below(ranks);
  message.to = (message.from + 1 + below(ranks - 1)) % ranks;
  message.bytes = below((Bytes{1} << below(below(40) ? 21 : 23)) + 1);  // all orders of magnitude, seldom above 1 MiB
  do {
    message.synchronous = below(2);
    message.send = {.after = below(4) == 0, .blocking = below(3) == 0};
    message.receive = {.after = below(2) == 0, .blocking = below(2) == 0};
  } while (!message.is_legal());
  return message;
}

struct Settings {
  long mixes = 100;
  std::uint64_t seed = 1;
  std::string executor;  // empty: all executors that these ranks have
};

void run(const Settings& settings) {
  const auto communicator = over(MPI_COMM_WORLD);
  const Rank me = communicator->rank(), last = communicator->size() - 1;
  std::vector<std::string> executors{settings.executor};
  if (settings.executor.empty()) {
    // Shared memory comes first: once an MPI library has sent long messages, all its connections exist, and missing progress may no
    // longer show as a hang.
    executors.clear();
    for (const Executor each : executors_of(*communicator)) executors.emplace_back(name(each));
  }
  std::mt19937_64 random(settings.seed);
  std::vector<Occasion> occasions;
  for (const std::string& executor : executors)
    for (const Collective collective :
         {Collective::alltoall, Collective::allgather, Collective::broadcast, Collective::allreduce, Collective::barrier})
      for (const Bytes block_bytes : {8, 3000, 100'000}) {
        if (collective == Collective::barrier && block_bytes > 8) continue;
        begin_step(me, fmt::format("planning {} with executor {}", name(collective), executor));
        occasions.emplace_back(*communicator, collective, block_bytes, executor, random);
      }

  Traffic traffic(me);
  long steps = 0;
  const auto step = [&](std::vector<Message> messages, Occasion& occasion, const std::string& which) {
    std::string text = fmt::format("{}: {}", which, occasion.name_of_all());
    for (const Message& message : messages) text += "; " + message.text();
    begin_step(me, text);
    if (const std::string wrong = traffic.run(messages, occasion); !wrong.empty())
      throw std::runtime_error(fmt::format("rank {}: {}: {}", me, text, wrong));
    ++steps;
  };

  const auto is_first_part = [](const Occasion& each) {
    return each.block_bytes() == 8 && (each.collective() == Collective::alltoall || each.collective() == Collective::broadcast ||
                                       each.collective() == Collective::barrier);
  };
  for (Occasion& occasion : occasions) {
    if (!is_first_part(occasion)) continue;
    for (Bytes bytes = 1024; bytes <= longest_message; bytes *= 4)
      for (const auto& [from, to] : {std::pair<Rank, Rank>{0, 1}, {1, 0}, {0, last}, {last, 0}})
        step({{.from = from, .to = to, .bytes = bytes, .send = {}, .receive = {.blocking = true}}}, occasion, "one message");
  }
  const long singles = steps;
  for (long mix = 0; mix < settings.mixes; ++mix) {
    std::vector<Message> messages(1 + random() % most_messages);
    for (Message& message : messages) message = random_message(communicator->size(), random);
    step(messages, occasions[random() % occasions.size()], fmt::format("mix {} of seed {}", mix, settings.seed));
  }
  begin_step(me, "the end");
  communicator->barrier();
  if (me == 0)
    std::printf("%s, %lld ranks, executors %s: %ld single messages and %ld mixes, all right\n", std::string(mpi_library).c_str(),
                static_cast<long long>(communicator->size()), fmt::format("{}", fmt::join(executors, ", ")).c_str(), singles,
                settings.mixes);
}

// Uses getopt, because the command's parser has a header that takes longer to compile than the rest of this program.
Settings settings_of(int count, char** arguments) {
  static constexpr option known[] = {{"mixes", required_argument, nullptr, 'm'},
                                     {"seed", required_argument, nullptr, 's'},
                                     {"executor", required_argument, nullptr, 'e'},
                                     {nullptr, 0, nullptr, 0}};
  Settings settings;
  for (int found = 0; (found = ::getopt_long(count, arguments, "", known, nullptr)) != -1;) {
    switch (found) {
      case 'm': settings.mixes = std::stol(optarg); break;
      case 's': settings.seed = std::stoull(optarg); break;
      case 'e': settings.executor = optarg; break;
      default: std::exit(2);  // getopt has said why
    }
  }
  return settings;
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille::testing;
  const Settings settings = settings_of(count, arguments);
  std::signal(SIGALRM, end_hanging_program);
  MPI_Init(&count, &arguments);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    if (ranks < 2) throw std::runtime_error("traffic needs two ranks or more");
    run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
