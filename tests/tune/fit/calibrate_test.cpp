// SPDX-License-Identifier: BSD-3-Clause
// Measuring a machine: the fitted line, and which models a number of ranks is enough for.
#include "quadrille/fit.hpp"
#include "quadrille/groups.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

TEST(LineFit, FindsTheLineItsSamplesLieOn) {
  std::vector<LineFit::Sample> samples;
  for (const Bytes bytes : {8, 64, 512, 4096, 65536}) samples.push_back({bytes, 3e-6 + static_cast<double>(bytes) * 2e-9});
  const LineFit fit = fit_line("a line", samples);
  EXPECT_NEAR(fit.startup_s, 3e-6, 1e-15);
  EXPECT_NEAR(fit.s_per_byte, 2e-9, 1e-18);
  EXPECT_LT(fit.worst_error(), 1e-9);
  samples[2].seconds *= 2;
  const LineFit off = fit_line("off", samples);
  EXPECT_GT(off.worst_error(), 0.1);
  EXPECT_LT(off.error(samples[2]), 0) << "the measured time is above the line";
}

TEST(LineFit, HasNoNegativeCoefficients) {
  const LineFit falling = fit_line("falling", {{8, 2e-6}, {64, 1e-6}});
  EXPECT_EQ(falling.s_per_byte, 0);
  EXPECT_GT(falling.startup_s, 1e-6);
  EXPECT_LT(falling.startup_s, 2e-6);
  const LineFit steep = fit_line("steep", {{100, 1e-9}, {200, 1e-6}});
  EXPECT_EQ(steep.startup_s, 0);
  EXPECT_GT(steep.s_per_byte, 0);
  const LineFit one = fit_line("one", {{100, 1e-6}});
  EXPECT_DOUBLE_EQ(one.at(100), 1e-6);
}

TEST(Calibrate, MeasuresTheModelsThatTheRanksAllow) {
  for (const Count p : {2, 3})
    run_threads(p, [&](Communicator& communicator) {
      const Calibration calibration = calibrate(communicator, {.seconds = 0.05});
      const auto& models = calibration.machine.models;
      EXPECT_EQ(calibration.machine.name, "this-machine");
      EXPECT_EQ(models.contains("loggp"), p > 2);
      EXPECT_FALSE(models.contains("torus") || models.contains("cluster"));
      EXPECT_EQ(calibration.missing.size(), p > 2 ? 2u : 3u);
      EXPECT_EQ(calibration.remarks().size(), calibration.missing.size() + calibration.fits.size() + 1);
      EXPECT_GT(calibration.copy_s_per_byte, 0);
      EXPECT_GT(calibration.fits.at(0).startup_s + calibration.fits.at(0).s_per_byte, 0);
      for (const auto& [id, coefficients] : models)
        for (const Coefficient& known : find_model(id)->coefficients) {
          const auto value = coefficients.find(known.key);
          EXPECT_TRUE(value != coefficients.end() || !known.required) << id << ' ' << known.key;
          if (value != coefficients.end()) EXPECT_GE(value->second, known.least) << id << ' ' << known.key;
        }
      const double mine = models.at("linear").at("startup_us");
      std::vector<double> all(static_cast<std::size_t>(p));
      communicator.all_gather(&mine, all.data(), sizeof mine);
      for (const double each : all) EXPECT_EQ(each, mine) << "all ranks have the same figures";
    });
  run_threads(1, [](Communicator& communicator) { EXPECT_THROW(calibrate(communicator), Error); });
}

}  // namespace
}  // namespace quadrille
