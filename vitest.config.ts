import { defineConfig } from "vitest/config";

// One file at a time: tests that measure must not share the cores with each other.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
