import { HieraError } from "../errors.ts";
import type { Device } from "./device.ts";
import { localDevice } from "./local.ts";
import { nullDevice } from "./null.ts";

/** A new device is one file and one line here. What follows a colon in the user's name is the device's argument. */
export const devices: Readonly<Record<string, (argument: string | undefined) => Device>> = {
  cpu: () => localDevice(),
  null: (delayMs) => nullDevice(delayMs === undefined ? {} : { delayMs: Number(delayMs) }),
};

/** Throws HieraError("usage") for a name that is not in the registry. */
export function deviceNamed(name: string): Device {
  const [kind = "", argument] = name.split(":", 2);
  const make = Object.hasOwn(devices, kind) ? devices[kind] : undefined;
  if (make === undefined) {
    throw new HieraError("usage", `unknown device "${name}"`, {
      where: "--device",
      todo: `choose one of: ${Object.keys(devices).join(", ")}`,
    });
  }
  return make(argument);
}
