import { Effect, Redacted } from "effect"
import { Entropy } from "../platform/Entropy.ts"

/** 256 random bits, in the form of Standard Webhooks. */
export const newSigningSecret = Effect.map(Entropy, (entropy) =>
  Redacted.make(`whsec_${btoa(String.fromCharCode(...entropy.bytes(32)))}`)
)
