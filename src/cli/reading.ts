import { HieraError } from "../errors.ts";
import { hasStore, openStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";

/** Reads a workspace's store without making one. Throws HieraError("usage") where there is none. */
export function readStore<T>(workspace: string, read: (store: Store) => T): T {
  if (!hasStore(workspace)) {
    throw new HieraError("usage", "no runs are kept here", {
      where: workspace,
      todo: "name the folder with --workspace, or start: hiera optimize FILE",
    });
  }
  const store = openStore(workspace);
  try {
    return read(store);
  } finally {
    store.close();
  }
}
