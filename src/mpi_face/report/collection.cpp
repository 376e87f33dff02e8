// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/collection.hpp"

#include <fmt/format.h>

#include "foundation/assert.hpp"
#include "foundation/system/file_replacement.hpp"
#include "mpi_face/report/report_words.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

// The first character of a message.
constexpr char is_token = 't', is_counters = 'c', asks = 'y', declines = 'n', keeps = 'k', loses = 'l';

CourierMessage received(Courier& courier) {
  while (true) {
    if (std::optional<CourierMessage> message = courier.receive()) return *std::move(message);
    courier.pause();
  }
}

}  // namespace

void collect(Courier& courier, Count ranks, Collector& collector) {
  std::vector<bool> is_answered(static_cast<std::size_t>(ranks), false);
  is_answered[0] = true;
  Count tokens = ranks - 1, counters = 0;  // how many are still to come
  const auto answer = [&](Rank rank, char word) {
    is_answered[static_cast<std::size_t>(rank)] = true;
    --tokens;
    courier.send(rank, std::string(1, word));
  };
  const double begin_s = courier.now_s();
  while (tokens > 0 || counters > 0) {
    if (std::optional<CourierMessage> message = courier.receive()) {
      const char kind = message->text.at(0);
      message->text.erase(0, 1);
      if (kind == is_counters) {
        const bool is_kept = collector.take(message->from, std::move(message->text));
        courier.send(message->from, std::string(1, is_kept ? keeps : loses));
        --counters;
      } else if (!is_answered[static_cast<std::size_t>(message->from)]) {
        const bool is_needed = collector.needs(message->from, message->text);
        if (is_needed) ++counters;
        answer(message->from, is_needed ? asks : declines);
      }
      continue;
    }
    if (tokens > 0 && courier.now_s() - begin_s > patience_for_tokens_s)
      for (Rank rank = 0; rank < ranks; ++rank)
        if (!is_answered[static_cast<std::size_t>(rank)]) answer(rank, declines);
    courier.pause();
  }
}

bool hand_over(Courier& courier, const std::string& token, const std::function<std::string()>& counters) {
  std::optional<CourierMessage> answer = courier.receive();
  if (!answer) {  // otherwise rank 0 waits no longer
    courier.send(0, is_token + token);
    answer = received(courier);
  }
  QUADRILLE_ASSERT(answer->from == 0);
  if (answer->text.at(0) != asks) return false;
  courier.send(0, is_counters + counters());
  return received(courier).text.at(0) == keeps;
}

bool FileCollector::needs(Rank rank, const std::string& token) {
  if (token.starts_with(has_no_file)) lose(rank, token.substr(1));
  const std::string here = path_(rank);
  if (here.empty() || token.starts_with(has_no_file)) return false;
  try {
    return token_of_(here) != token;
  } catch (const Error&) {
    return true;
  }
}

bool FileCollector::take(Rank rank, std::string file) {
  if (file.empty()) {
    lose(rank, "its file cannot be read, or is too long to be sent");
    return false;
  }
  const Result<> written = replace_file(path_(rank), file);
  if (!written) lose(rank, written.error());
  return written.has_value();
}

void FileCollector::lose(Rank rank, const std::string& why) {
  if (lost_.empty()) why_ = why;
  lost_.push_back(rank);
}

std::string FileCollector::lost(std::string_view what) const {
  if (lost_.empty()) return {};
  return fmt::format("no {} of rank{} {}: {}", what, lost_.size() == 1 ? "" : "s", ranks_words(lost_, 8), why_);
}

}  // namespace quadrille::mpi_face
