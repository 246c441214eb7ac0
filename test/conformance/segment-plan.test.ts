import fc from "fast-check";
import { expect, test } from "vitest";
import { segmentPlanCase } from "./adapters/segment-plan.ts";

/**
 * The planner's rules as hermes.md §14.1 tells them, written down a second time in the plainest way: no product code,
 * paths as lists of names. Random batches must be planned alike.
 */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly path: string | undefined;
  /** Arguments that are no JSON object, or undefined. */
  readonly broken: string | undefined;
}
interface Segment {
  readonly kind: string;
  readonly ids: readonly string[];
}

const CWD = "/w/p";
const BARRIERS = ["clarify", "terminal", "memory", "execute_code", "mcp_files_read", "no_such_tool"];
const FREE = ["web_search", "web_extract", "session_search", "tool_search", "image_generate", "ha_get_state"];
const READERS = ["read_file", "search_files"];
const WRITERS = ["write_file", "patch"];

function names(path: string): string[] {
  const absolute = path.startsWith("/") ? path : `${CWD}/${path}`;
  const stack: string[] = [];
  for (const name of absolute.split("/")) {
    if (name === "..") stack.pop();
    else if (name !== "" && name !== ".") stack.push(name);
  }
  return stack;
}

const overlaps = (a: string[], b: string[]): boolean =>
  a.slice(0, b.length).join("/") === b.slice(0, a.length).join("/");

const isPathTool = (call: Call): boolean => READERS.includes(call.name) || WRITERS.includes(call.name);
/** A search without a path looks at the working folder; any other path tool without one has no scope. */
const scope = (call: Call): string | undefined => call.path ?? (call.name === "search_files" ? "." : undefined);
const isBarrier = (call: Call): boolean =>
  call.broken !== undefined || BARRIERS.includes(call.name) || (isPathTool(call) && scope(call) === undefined);

function clash(a: Call, b: Call): boolean {
  if (!isPathTool(a) || !isPathTool(b)) return false;
  if (READERS.includes(a.name) && READERS.includes(b.name)) return false;
  return overlaps(names(scope(a) ?? ""), names(scope(b) ?? ""));
}

function model(calls: readonly Call[]): Segment[] {
  const runs: Call[][] = [];
  let open = false;
  for (const call of calls) {
    const run = runs.at(-1);
    const fits = open && run !== undefined && !isBarrier(call) && !run.some((other) => clash(other, call));
    if (fits) run.push(call);
    else runs.push([call]);
    open = !isBarrier(call);
  }
  const segments: { kind: string; ids: string[] }[] = [];
  for (const run of runs) {
    const kind = run.length < 2 ? "sequential" : "parallel";
    const ids = run.map((call) => call.id);
    if (kind === "sequential" && segments.at(-1)?.kind === kind) segments.at(-1)?.ids.push(...ids);
    else segments.push({ kind, ids });
  }
  return segments;
}

const path = fc.constantFrom(
  "a",
  "b",
  "./a",
  "a/b",
  "a/bc",
  "ab",
  "a/../b",
  "/w/p/a",
  "/w",
  "/w/px",
  "..",
  "a/b/c",
  "/other/a",
);
const call = fc.record({
  name: fc.constantFrom(...BARRIERS, ...FREE, ...FREE, ...READERS, ...READERS, ...WRITERS, ...WRITERS),
  path: fc.option(path, { nil: undefined, freq: 8 }),
  broken: fc.option(fc.constantFrom("[1", "", " ", "null", "[]", "7"), { nil: undefined, freq: 16 }),
});

test("[E2] [E3] random batches are planned as the specification's own words plan them", () => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 24 }), (drawn) => {
      const calls = drawn.map((each, at): Call => ({ ...each, id: `c${at}` }));
      const input = calls.map(({ id, name, path: given, broken }) => ({
        id,
        name,
        arguments: broken ?? JSON.stringify(given === undefined ? {} : { path: given }),
      }));
      expect(segmentPlanCase({ calls: input, cwd: CWD })).toEqual({ segments: model(calls) });
    }),
    { numRuns: 500 },
  );
});

const planOf = (...calls: (readonly [name: string, args: object])[]): unknown =>
  segmentPlanCase({
    calls: calls.map(([name, args], at) => ({ id: `${at}`, name, arguments: JSON.stringify(args) })),
    cwd: CWD,
  });

test("[E3] a patch in mode patch claims every file its headers name, and its path is a decoy", () => {
  const patch = "*** Begin Patch\n*** Update File: x\n@@\n***Add File: y\n*** Move File: m -> n\n*** Delete File: z\n";
  for (const touched of ["x", "y", "m", "n", "z"])
    expect(planOf(["patch", { mode: "patch", path: "decoy", patch }], ["read_file", { path: touched }])).toEqual({
      segments: [{ kind: "sequential", ids: ["0", "1"] }],
    });
  expect(planOf(["patch", { mode: "patch", path: "decoy", patch }], ["read_file", { path: "decoy" }])).toEqual({
    segments: [{ kind: "parallel", ids: ["0", "1"] }],
  });
  expect(
    planOf(["patch", { mode: "patch", path: "a", patch: "nothing" }], ["web_search", {}], ["web_search", {}]),
  ).toEqual({
    segments: [
      { kind: "sequential", ids: ["0"] },
      { kind: "parallel", ids: ["1", "2"] },
    ],
  });
});

test("[E3] the bridge to deferred tools claims what the tool behind it claims", () => {
  const parallel = { segments: [{ kind: "parallel", ids: ["0", "1"] }] };
  const serial = { segments: [{ kind: "sequential", ids: ["0", "1"] }] };
  const bridge = (name: string, args: unknown): readonly [string, object] => ["tool_call", { name, arguments: args }];
  expect(planOf(bridge("web_search", { q: "a" }), ["web_search", {}])).toEqual(parallel);
  expect(planOf(bridge("terminal", { command: "x" }), ["web_search", {}])).toEqual(serial);
  expect(planOf(bridge("write_file", { path: "a" }), ["read_file", { path: "a" }])).toEqual(serial);
  expect(planOf(bridge("write_file", { path: "a" }), ["read_file", { path: "b" }])).toEqual(parallel);
  const batch = (...tools: string[]): readonly [string, object] => [
    "tool_call",
    { calls: tools.map((name) => ({ name })) },
  ];
  expect(planOf(batch("connectors__a__b", "connectors__c__d"), ["web_search", {}])).toEqual(parallel);
  expect(planOf(batch("connectors__a__b", "web_search"), ["web_search", {}])).toEqual(serial);
});
