// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/counted_message.hpp"

namespace quadrille::mpi_face {

constinit Record* CountedMessage::current_ = nullptr;
constinit bool CountedMessage::sees_all_ = false;

}  // namespace quadrille::mpi_face
