/** Input and output of a request that waits to be delivered, as one encrypted JSON text. Rule: observability#bodies. */
import { Effect, Redacted } from "effect"
import { type EncryptionContext, Vault } from "../vault/Vault.ts"

export interface Bodies {
  readonly input?: unknown
  readonly output?: unknown
}

/** The table, field and row to which the ciphertext is bound. */
export const contextOfBodies = (account_id: string, workspace_id: string, event_id: string): EncryptionContext => ({
  table: "delivery",
  field: "bodies",
  account_id,
  workspace_id,
  row_id: event_id
})

export const sealBodies = Effect.fnUntraced(function* (bodies: Redacted.Redacted<Bodies>, context: EncryptionContext) {
  const vault = yield* Vault
  return yield* vault.seal(Redacted.make(JSON.stringify(Redacted.value(bodies))), context)
})

/** Nothing where no key of the keyring decrypts it: the event is delivered without its bodies. */
export const openBodies = Effect.fnUntraced(function* (sealed: Uint8Array, context: EncryptionContext) {
  const vault = yield* Vault
  return yield* vault.open(sealed, context).pipe(
    Effect.map((text) => Redacted.make(JSON.parse(Redacted.value(text)) as Bodies)),
    Effect.catch(() => Effect.succeed(Redacted.make<Bodies>({})))
  )
})

/** The table, field and row to which the ciphertext is bound: what waits for a destination does not decrypt here, nor the other way round. */
export const contextOfContent = (account_id: string, workspace_id: string, event_id: string): EncryptionContext => ({
  table: "generation_content",
  field: "bodies",
  account_id,
  workspace_id,
  row_id: event_id
})

/**
 * Input and output of a request that its workspace keeps, as one encrypted JSON text. Rule: usage#prompt-logging.
 *
 * Dies where no key of the keyring decrypts it: the server does not start with such a keyring.
 */
export const openContent = Effect.fnUntraced(function* (sealed: Uint8Array, context: EncryptionContext) {
  const text = yield* Effect.orDie((yield* Vault).open(sealed, context))
  return Redacted.make(JSON.parse(Redacted.value(text)) as Bodies)
})
