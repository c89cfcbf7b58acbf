import { createLogUpdate } from "log-update";
import { type Style, styleFor } from "../report/terminal.ts";
import type { Observer, SearchEvent } from "../search/events.ts";
import { type LiveState, start, update } from "./live-state.ts";
import { block, plainLine } from "./live-text.ts";

export interface View {
  readonly observe: Observer;
  close(): void;
}

type Screen = NodeJS.WriteStream;

/** Silent with --json; a block that rewrites itself on a terminal; one line an event of note elsewhere. */
export function openView(json: boolean, screen: Screen = process.stdout): View {
  if (json) return { observe: () => undefined, close: () => undefined };
  return screen.isTTY ? terminalView(screen) : lineView(screen);
}

function lineView(screen: Screen): View {
  return {
    observe(event) {
      const line = plainLine(event);
      if (line !== null) screen.write(`${line}\n`);
    },
    close: () => undefined,
  };
}

const refreshMs = 120;

function terminalView(screen: Screen): View {
  const style: Style = styleFor(screen);
  const write = createLogUpdate(screen);
  let state: LiveState = start(Date.now());
  const draw = () => write(block(state, style, Date.now()));
  const timer = setInterval(draw, refreshMs);
  return {
    observe(event: SearchEvent) {
      state = update(state, event);
    },
    close() {
      clearInterval(timer);
      draw();
      write.done();
    },
  };
}
