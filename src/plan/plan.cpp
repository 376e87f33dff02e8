// SPDX-License-Identifier: BSD-3-Clause
// Making a plan: everybody reads the request, everybody checks that all ask for the same, then the transport takes over.
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "execute/script.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// Of a matrix of counts, alike for its dense and its sparse form.
std::uint64_t fingerprint(const Problem& problem) {
  std::uint64_t hash = 0;
  const auto mix = [&](Count number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  const Traffic traffic(problem);
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : traffic.sent_by(from)) {
      mix(from);
      mix(share.peer);
      mix(share.bytes);
    }
  return hash;
}

// One sentence per request; equal sentences, equal plans.
std::string description(const Problem& problem, const PlanOptions& options, const std::string& algorithm) {
  std::string text = fmt::format("{} {} {} {} {} {} {}", name(problem.collective), problem.ranks, problem.block_bytes, problem.root,
                                 algorithm, static_cast<int>(options.policy), options.longest_message);
  if (problem.collective == Collective::alltoallv)
    text += fmt::format(" {}", fingerprint(problem));
  else if (problem.counts)
    for (const Bytes count : *problem.counts) text += fmt::format(" {}", count);
  return text;
}

// Collective: throws on all ranks if one has an error or they disagree.
void agree(Communicator& communicator, const std::string& request, const std::optional<Error>& error) {
  struct Vote {
    std::uint64_t hash;
    bool good;
  };
  const Vote mine{std::hash<std::string>{}(request), !error};
  std::vector<Vote> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(&mine, all.data(), sizeof mine);
  if (error) throw *error;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].good) throw Error(ErrorCode::misuse, fmt::format("rank {} could not make the plan", rank));
    if (all[rank].hash != mine.hash)
      throw Error(ErrorCode::misuse, fmt::format("rank {} asks for another plan than rank {}", rank, communicator.rank()));
  }
}

}  // namespace

Plan plan(Communicator& communicator, const Problem& problem, const PlanOptions& options) {
  Plan made;
  std::shared_ptr<const Script> script;
  std::optional<Error> error;
  try {
    check(problem);
    if (problem.ranks != communicator.size())
      throw Error(ErrorCode::misuse, fmt::format("the problem has {} ranks and the group {}", problem.ranks, communicator.size()));
    if (options.buffers < 1 || options.buffers > 2)
      throw Error(ErrorCode::misuse, fmt::format("buffers is {}; it is 1 or 2", options.buffers));
    if (options.longest_message < 1 || options.longest_message > Bytes{1} << 30)
      throw Error(ErrorCode::misuse, fmt::format("longest_message is {}; it is 1 to 2^30 bytes", options.longest_message));
    made.algorithm_ = options.algorithm;
    if (options.algorithm != "vendor") {
      const Schedule schedule = make_schedule(problem, options.algorithm);
      const Program program = schedule.program(communicator.rank());
      made.algorithm_ = specification(schedule);
      script = std::make_shared<const Script>(make_script(program, problem.ranks,
                                                          {.policy = options.policy,
                                                           .buffers = options.buffers,
                                                           .strided_messages = communicator.moves_strided_messages(),
                                                           .longest_message = options.longest_message}));
      made.scratch_bytes_ = script->scratch_bytes;
      made.staging_bytes_ = script->staging_bytes;
    }
    made.input_bytes_ = input_bytes(problem, communicator.rank());
    made.output_bytes_ = output_bytes(problem, communicator.rank());
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::exception& caught) {  // memory: bad_alloc, length_error
    error = Error(ErrorCode::too_large, fmt::format("there is not enough memory for this plan ({})", caught.what()));
  }
  agree(communicator, error ? "" : description(problem, options, made.algorithm_), error);  // what is wrong may not be described

  std::string reason;
  made.executable_ = script ? communicator.prepare(script) : communicator.vendor(problem, reason);
  if (!made.executable_) throw Error(ErrorCode::misuse, fmt::format("vendor does not apply: {}", reason));
  return made;
}

void Plan::execute(const void* input, void* output) {
  const auto* from = static_cast<const std::byte*>(input);
  auto* to = static_cast<std::byte*>(output);
  if (input_bytes_ > 0 && output_bytes_ > 0 && std::less<>{}(from, to + output_bytes_) && std::less<>{}(to, from + input_bytes_))
    throw Error(ErrorCode::misuse, "input and output overlap; give execute two separate buffers");
  executable_->execute(from, to);
}

}  // namespace quadrille
