/** Work of a store in memory that waits for no thread, for tests that turn the clock. */
import { createHash } from "node:crypto"
import { Digest, Vault } from "@gatewarden/core/internal"
import { Effect, Redacted } from "effect"

/** Without threads, so that all work is done between two turns of the clock, however busy the machine is. */
export const withoutThreads = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const hash = (data: string | Uint8Array) => createHash("sha256").update(data)
    const digest = Digest.of({
      sha256: (data) => Effect.sync(() => new Uint8Array(hash(data).digest())),
      sha256Hex: (data) => Effect.sync(() => hash(data).digest("hex"))
    })
    const vault = Vault.of({
      seal: (secret) => Effect.sync(() => new TextEncoder().encode(Redacted.value(secret))),
      open: (bytes) => Effect.sync(() => Redacted.make(new TextDecoder().decode(bytes))),
      sealBytes: (secret) => Effect.sync(() => Redacted.value(secret)),
      openBytes: (bytes) => Effect.sync(() => Redacted.make(bytes)),
      primaryKeyId: "none"
    })
    return yield* effect.pipe(Effect.provideService(Digest, digest), Effect.provideService(Vault, vault))
  })

/** What was begun has got as far as it can without the clock. */
export const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
})
