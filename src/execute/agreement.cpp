// SPDX-License-Identifier: BSD-3-Clause
#include "execute/agreement.hpp"

#include <exception>

namespace quadrille {

RankOutcome outcome_of_exception(std::optional<Error>& error) {
  try {
    throw;
  } catch (const ErrorElsewhere& caught) {
    error = caught;
    return {RankOutcome::failed_elsewhere, caught.code()};
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::exception& caught) {  // memory: bad_alloc, length_error
    error = Error(ErrorCode::too_large, std::string("there is not enough memory for this plan (") + caught.what() + ")");
  }
  return {RankOutcome::failed, error->code()};
}

}  // namespace quadrille
