import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { openStore, storeVersion } from "../../src/store/sqlite.ts";
import { storeSuite } from "./suite.ts";

const workspace = () => mkdtempSync(join(tmpdir(), "hiera-store-"));

storeSuite("memory", memoryStore);
storeSuite("sqlite", () => openStore(workspace()));

describe("sqlite", () => {
  const withFile = (write: (path: string) => void) => {
    const folder = workspace();
    mkdirSync(join(folder, ".hiera"));
    write(join(folder, ".hiera", "hiera.db"));
    return folder;
  };

  test("what was appended is there for the next process", () => {
    const folder = workspace();
    const store = openStore(folder);
    store.create("a", null);
    store.append("a", { key: "x", kind: "plan", body: 7, spentMs: 1 });
    store.close();
    expect(openStore(folder).facts("a")).toMatchObject([{ key: "x", body: 7 }]);
  });

  test("a file that is no database is named, in one line, and kept", () => {
    const folder = withFile((path) => writeFileSync(path, "not a database ".repeat(500)));
    expect(() => openStore(folder)).toThrow(/^the store is damaged \(.*hiera\.db\) — move \.hiera\/ away/);
  });

  test("a damaged record is named", () => {
    const folder = workspace();
    const store = openStore(folder);
    store.create("a", null);
    store.append("a", { key: "x", kind: "plan", body: 7, spentMs: 1 });
    store.close();
    const raw = new Database(join(folder, ".hiera", "hiera.db"));
    raw.exec("update fact set body = '{half'");
    raw.close();
    expect(() => openStore(folder).facts("a")).toThrow(/^the store holds a damaged record/);
  });

  test("a newer format is refused and says so", () => {
    const folder = withFile((path) => new Database(path).exec(`pragma user_version = ${storeVersion + 1}`));
    expect(() => openStore(folder)).toThrow(/written by a newer hiera \(format 2, this one reads 1\).* — update hiera/);
  });

  test("a workspace that is a file, or cannot be made, is refused", () => {
    const file = join(workspace(), "file");
    writeFileSync(file, "");
    expect(() => openStore(file)).toThrow(/^the workspace is not a folder/);
    expect(() => openStore("/proc/none")).toThrow(
      /^the store cannot be written .* — allow writing there or use another --workspace$/,
    );
  });

  test("a full disk stops an append and leaves what was there", ({ skip }) => {
    const folder = workspace();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], { stdio: "ignore" });
    } catch {
      skip("mounting a small file system is not allowed here");
    }
    try {
      const store = openStore(folder);
      store.create("a", null);
      store.append("a", { key: "x", kind: "plan", body: 7, spentMs: 1 });
      const large = { key: "y", kind: "plan" as const, body: "y".repeat(300_000), spentMs: 1 };
      expect(() => store.append("a", large)).toThrow(/^the disk is full .* — free some space, then: hiera resume RUN$/);
      expect(store.facts("a")).toHaveLength(1);
      store.close();
    } finally {
      execFileSync("umount", ["-l", folder]);
    }
  });

  test("a lock of a process that has ended is taken over", async () => {
    const folder = workspace();
    const store = openStore(folder);
    store.create("a", null);
    const child = spawn("sleep", ["60"]);
    const started = "1"; // another process with this id would have started at another time
    const raw = new Database(join(folder, ".hiera", "hiera.db"));
    raw.prepare("insert into lock values (?, ?, ?)").run("a", child.pid, started);
    expect(() => store.lock("a")()).not.toThrow();
    child.kill();
  });
});
