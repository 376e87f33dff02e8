// SPDX-License-Identifier: BSD-3-Clause
// Everything but quadrille/mpi.hpp, which needs an MPI library's header.
#pragma once

#include "quadrille/algorithm.hpp"
#include "quadrille/calibrate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/document.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/layout.hpp"
#include "quadrille/model.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/picoseconds.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/types.hpp"
#include "quadrille/verify.hpp"
