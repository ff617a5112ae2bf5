/** Rule: audit#verification. */
import { Effect, Option } from "effect"
import { AuditLog, type AuditVerdict } from "../ports/changes.ts"
import { sealChanges } from "./sealChanges.ts"
import { openSignature, signEnds } from "./signEnds.ts"

export interface AuditProof extends AuditVerdict {
  /**
   * Up to `position` the chain is the one that was signed. Entries up to `since` were sealed before the first signature, or the signature was
   * removed after them. `null`: nothing was sealed yet, or the signature is `unreadable`.
   */
  readonly signed: { readonly position: number; readonly since: number } | null
  /** Whether the signature is one that no key of the keyring made for this account. */
  readonly is_signature_unreadable: boolean
  /** How many of the last changes are sealed and not signed, although Gatewarden signs before it verifies: somebody keeps it from signing. */
  readonly unsigned: number
}

/** Others may seal between a signature and the verification, but not each time. */
const attempts = 3

/** Seals and signs what is open, recomputes the chain of an account and compares it with what was signed. */
export const verifyAuditLog = Effect.fn("verifyAuditLog")(function* (account_id: string) {
  let proof = yield* verified(account_id)
  for (let more = attempts - 1; more > 0 && proof.unsigned > 0; more--) proof = yield* verified(account_id)
  return proof
})

const verified = Effect.fnUntraced(function* (account_id: string) {
  const log = yield* AuditLog
  yield* sealChanges(account_id)
  yield* signEnds(account_id)
  const signature = yield* log.signature(account_id)
  const end = signature === null ? undefined : yield* Effect.option(openSignature(account_id, signature))
  const signed = end === undefined || Option.isNone(end) ? undefined : end.value
  const verdict = yield* log.verify(account_id, signed)
  const proof: AuditProof = {
    ...verdict,
    unsigned: Math.max(0, (verdict.head?.position ?? 0) - (signed?.position ?? 0)),
    signed: signed === undefined ? null : { position: signed.position, since: signed.since },
    is_signature_unreadable: end !== undefined && Option.isNone(end)
  }
  return proof
})
