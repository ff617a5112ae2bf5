import { Effect, Option, Redacted } from "effect"
import { type SignedEnd, AuditLog, sealBatch } from "../ports/auditLog.ts"
import { type EncryptionContext, Vault } from "../vault/Vault.ts"

/** Seals every change that is committed, of one account or of all. Whoever reads the log calls it first, so that nothing that is shown can still be altered. */
export const sealChanges = Effect.fnUntraced(function* (account_id: string | undefined) {
  const log = yield* AuditLog
  while ((yield* log.seal(account_id)) === sealBatch);
})

/** The most ends that one call signs. */
const atOnce = 100

export const contextOfSignature = (account_id: string): EncryptionContext => ({
  table: "audit_signature",
  field: "sealed",
  account_id,
  workspace_id: "",
  row_id: account_id
})

const signed = Effect.fnUntraced(function* (account_id: string, { position, hash, since }: SignedEnd) {
  const text = `${position} ${hash} ${since}`
  return yield* (yield* Vault).seal(Redacted.make(text), contextOfSignature(account_id))
})

/** Fails when no key of the keyring signed it for this account. */
export const openSignature = Effect.fnUntraced(function* (account_id: string, signature: Uint8Array) {
  const text = yield* (yield* Vault).open(signature, contextOfSignature(account_id))
  const [position, hash = "", since] = Redacted.value(text).split(" ")
  const end: SignedEnd = { position: Number(position), hash, since: Number(since) }
  return end
})

/**
 * The end of an account's chain of changes, encrypted with the keyring: somebody who can write to the database, but has no key, can compute
 * hashes anew and cut the end off, but cannot sign what is left. Rule: audit#verification.
 *
 * Signs the ends that have moved, of one account or of all. An end whose last signature is not of this keyring, or whose chain no longer
 * has what was signed, keeps that signature, so that `verifyAuditLog` finds it.
 */
export const signEnds = Effect.fnUntraced(function* (account_id: string | undefined) {
  const log = yield* AuditLog
  const moved = yield* log.unsigned(account_id, atOnce)
  if (moved.length === 0) return
  yield* log.sign(
    yield* Effect.forEach(moved, (end) =>
      Effect.gen(function* () {
        const { account_id, position, hash, signature: replaces } = end
        if (replaces === null) {
          const signature = yield* signed(account_id, { position, hash, since: position })
          return { account_id, position, hash, replaces, signature, follows: undefined }
        }
        const before = yield* Effect.option(openSignature(account_id, replaces))
        if (Option.isNone(before))
          return { account_id, position, hash, replaces, signature: replaces, follows: undefined }
        const signature = yield* signed(account_id, { position, hash, since: before.value.since })
        return { account_id, position, hash, replaces, signature, follows: before.value }
      })
    )
  )
})
