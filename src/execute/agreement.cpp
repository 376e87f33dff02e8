// SPDX-License-Identifier: BSD-3-Clause
#include "execute/agreement.hpp"

#include <exception>
#include <new>
#include <stdexcept>

namespace quadrille {
namespace {

Error out_of_memory(const std::exception& caught) {
  return {ErrorCode::too_large, std::string("there is not enough memory for this plan (") + caught.what() + ")"};
}

}  // namespace

RankOutcome outcome_of_exception(std::optional<Error>& error) {
  try {
    throw;
  } catch (const ErrorElsewhere& caught) {
    error = caught;
    return {RankOutcome::failed_elsewhere, caught.code()};
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::bad_alloc& caught) {
    error = out_of_memory(caught);
  } catch (const std::length_error& caught) {  // a container throws it if it would get too long
    error = out_of_memory(caught);
  } catch (const std::exception& caught) {
    error = Error(ErrorCode::environment, caught.what());
  } catch (...) {
    error = Error(ErrorCode::environment, "an exception that is not a std::exception");
  }
  return {RankOutcome::failed, error->code()};
}

}  // namespace quadrille
