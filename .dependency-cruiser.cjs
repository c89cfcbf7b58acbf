// The house's layers, top first. A folder imports from its own tier and from those below it, never from above.
const tiers = [
  {
    rooms: ["cli", "index.ts"],
    why: "commands and the library's face are read by users, not by the code: logic that others need belongs below",
  },
  { rooms: ["suites"], why: "a problem set is worked through by a command; nothing needs one to work" },
  { rooms: ["search", "report"], why: "a part that knows the loop or the page cannot be used without them" },
  {
    rooms: ["planning", "proposing", "evaluation"],
    why: "problems, spaces and hardware facts hold whoever plans, proposes or judges",
  },
  {
    rooms: ["spaces", "knowledge", "problem"],
    why: "devices carry requests and the store keeps facts without knowing what they mean",
  },
  { rooms: ["devices", "store"], why: "the ground floor" },
];

const within = (rooms) => `^src/(${rooms.map((r) => (r.endsWith(".ts") ? `${r.replace(".", "\\.")}$` : `${r}/`)).join("|")})`;

const upward = tiers.slice(1).map(({ rooms }, i) => ({
  name: `only-downwards-from-${rooms.join("-")}`,
  comment: `imports run downwards only: ${tiers
    .slice(0, i + 1)
    .flatMap((t) => t.rooms)
    .join(", ")} lie above; ${tiers[i].why}`,
  severity: "error",
  from: { path: within(rooms) },
  to: { path: within(tiers.slice(0, i + 1).flatMap((t) => t.rooms)) },
}));

module.exports = {
  forbidden: [
    ...upward,
    {
      name: "every-room-has-a-tier",
      comment: "a new folder under src must say in `tiers` what it may import",
      severity: "error",
      from: { path: "^src/", pathNot: [within(tiers.flatMap((t) => t.rooms)), "^src/(errors|version)\\.ts$"] },
      to: {},
    },
    {
      name: "no-circle",
      comment: "modules in a circle can only be understood, tested and loaded together; types count too",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "planning-knows-no-proposer",
      comment:
        "whoever writes candidates can be exchanged; planning may name the plan's types (proposing/proposer.ts), nothing else",
      severity: "error",
      from: { path: "^src/planning/" },
      to: { path: "^src/proposing/", pathNot: "^src/proposing/proposer\\.ts$" },
    },
    {
      name: "judges-know-no-author",
      comment:
        "a verdict must not depend on who wrote the candidate; evaluation may name what a candidate is (proposing/proposer.ts), nothing else",
      severity: "error",
      from: { path: "^src/evaluation/" },
      to: { path: "^src/(planning|proposing)/", pathNot: "^src/proposing/proposer\\.ts$" },
    },
    {
      name: "ground-knows-nothing",
      comment: "errors and version are imported by all, so anything that they import would be, too",
      severity: "error",
      from: { path: "^src/(errors|version)\\.ts$" },
      to: { path: "^src/" },
    },
    {
      name: "declared-packages-only",
      comment: "a package that package.json does not list as a dependency is missing on the user's machine",
      severity: "error",
      from: { path: "^src/" },
      to: { pathNot: "^\\.", dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "unknown", "undetermined"] },
    },
    {
      name: "resolvable",
      comment: "an import that leads nowhere is not checked by any rule above",
      severity: "error",
      from: { path: "^src/" },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "default", "types"] },
    // Type-only imports bind two parts as firmly as others do.
    tsPreCompilationDeps: true,
  },
};
