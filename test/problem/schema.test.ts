import { expect, test } from "vitest";
import { z } from "zod";
import { nullFacts, nullTrace } from "../../src/devices/null-answers.ts";
import { Contract, DeviceFacts, Trace } from "../../src/problem/contract.ts";
import { makeContract } from "../../src/problem/make.ts";

const schema = { title: "hiera contract, version 1", ...z.toJSONSchema(Contract) };

/** `npx vitest run test/problem/schema.test.ts -u` writes the file anew. */
test("the JSON Schema that the package ships is the contract's", async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot("../../schemas/contract.schema.json");
});

test("it accepts a contract and refuses a broken one", () => {
  const options = { mode: "as-is", precision: "strict", threads: 2, fixedRng: false, tolerance: "budget" } as const;
  const contract = makeContract({ name: "p", source: "", options }, Trace.parse(nullTrace), DeviceFacts.parse(nullFacts));
  const shipped = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)));
  expect(shipped.safeParse(contract).error?.issues).toBeUndefined();
  expect(shipped.safeParse({ ...contract, version: 2 }).success).toBe(false);
  expect(
    shipped.safeParse({ ...contract, structure: 1, interface: { ...contract.interface, structure: { tensor: 1 } } }).success,
  ).toBe(false);
});
