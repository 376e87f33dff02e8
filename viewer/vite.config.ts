// SPDX-License-Identifier: BSD-3-Clause
import { defineConfig } from "vitest/config";

export default defineConfig({
  build: {
    target: "es2022",
    outDir: "build",
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "quadrille", fileName: () => "viewer.js", cssFileName: "viewer" },
  },
  test: { include: ["tests/**/*.test.ts"] },
});
