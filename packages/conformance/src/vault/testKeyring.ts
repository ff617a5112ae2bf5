import { newKeyring, parseKeyring } from "@gatewarden/core/effect"
import { Redacted } from "effect"

/** Of one key that is the same in every run, which protects nothing. */
const parsed = parseKeyring(Redacted.value(newKeyring("test", (size) => new Uint8Array(size).fill(7))))
if ("problem" in parsed) throw new Error(parsed.problem)

export const testKeyring = parsed.keyring
