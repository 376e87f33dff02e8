// SPDX-License-Identifier: BSD-3-Clause
#include "verify/alike_causes.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

void unite_alike(std::vector<DraftCause>& causes, const Investigation& known, bool missing) {
  std::vector<NamedOperation> names;
  std::vector<std::pair<std::size_t, std::size_t>> together;
  std::map<OperationKey, std::size_t> index_of;
  std::vector<std::pair<std::size_t, DraftCause*>> drafts;  // with the index of the first name
  for (DraftCause& draft : causes) {
    if ((draft.cause.kind == CauseKind::missing) != missing) continue;
    std::optional<std::size_t> first;
    for (const NamedOperation& name : operations_of(draft.cause)) {
      const auto [place, fresh] = index_of.try_emplace(key_of(name), names.size());
      if (fresh) names.push_back(name);
      if (first) together.emplace_back(*first, place->second);
      if (!first) first = place->second, drafts.emplace_back(place->second, &draft);
    }
  }
  if (drafts.size() < 2) return;
  const auto measure = [&](SetSizes& sizes) {
    known.measure(sizes);
    for (const NamedOperation& name : names)
      if (missing) count_in(sizes, name, known.stages, known.ranks);
  };
  for (const AlikeGroup& group : alike_groups(names, together, known.stages, known.ranks, measure)) {
    std::vector<DraftCause*> members;
    for (const auto& [first, draft] : drafts)
      if (std::binary_search(group.members.begin(), group.members.end(), first)) members.push_back(draft);
    if (members.size() < 2) continue;
    const auto most = std::max_element(members.begin(), members.end(), [](const DraftCause* a, const DraftCause* b) {
      return a->cause.findings.size() < b->cause.findings.size();
    });
    FaultCause& cause = (*most)->cause;
    for (DraftCause* other : members) {
      if (other == *most) continue;
      const std::vector<NamedOperation> more = operations_of(other->cause);
      cause.alike.insert(cause.alike.end(), more.begin(), more.end());
      take_findings(cause, other->cause);
    }
    (*most)->alike = group.text;
  }
  erase_empty(causes);
}

}  // namespace

void unite_alike(std::vector<DraftCause>& causes, const Investigation& known) {
  for (const bool missing : {false, true}) unite_alike(causes, known, missing);
}

}  // namespace quadrille
