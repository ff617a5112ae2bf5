import type { Keyring } from "@gatewarden/core/effect"
import { Redacted } from "effect"
import { Buffer } from "node:buffer"

/** A keyring as `GATEWARDEN_KEYRING` has it. */
export const printKeyring = ({ byId }: Keyring): Redacted.Redacted<string> =>
  Redacted.make(
    Array.from(byId.values(), ({ id, key }) => `${id}:${Buffer.from(Redacted.value(key)).toString("base64")}`).join(",")
  )
