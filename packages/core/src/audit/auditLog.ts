import type { Noun, PrintedAuditEntry } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { type Reference, findNames } from "../naming/findNames.ts"
import { type AuditEntry, type AuditFilter, type AuditVerdict, AuditLog, auditExamined } from "../ports/auditLog.ts"
import type { NamedKind } from "../ports/names.ts"
import { operation } from "../tracing/operation.ts"
import { openSignature, sealChanges, signEnds } from "./sealChanges.ts"

/** What the entity of a change is, if it has a name that can be looked up. */
const kindOf: Readonly<Partial<Record<Noun, NamedKind>>> = {
  destination: "destination",
  guardrail: "guardrail",
  key: "key",
  key_assignment: "key",
  key_rate_limits: "key",
  workspace: "workspace"
}

const recordedName = ({ before, after }: AuditEntry): string | undefined =>
  [after?.["name"], before?.["name"]].find((name) => typeof name === "string")

const entityOf = ({ noun, entity }: AuditEntry): Reference => [kindOf[noun], entity]
const actorOf = ({ actor }: AuditEntry): Reference => [actor.type === "key" ? "key" : undefined, actor.id]

/** Entries as they are listed. Rule: audit#audit-log, requests#names-beside-ids. The log is the whole account's. */
export const nameEntries = (account_id: string, entries: readonly AuditEntry[]) =>
  Effect.map(
    findNames(
      account_id,
      entries.flatMap((entry) => [actorOf(entry), ...(recordedName(entry) === undefined ? [entityOf(entry)] : [])]),
      () => true
    ),
    (nameOf) =>
      entries.map((entry) => {
        const { position, at, noun, action, entity, actor, ...rest } = entry
        const entity_name = recordedName(entry) ?? nameOf(...entityOf(entry))
        const named = { ...actor, name: nameOf(...actorOf(entry)) }
        return { position, at, noun, action, entity, entity_name, ...rest, actor: named } as PrintedAuditEntry
      })
  )

/** A page of the caller's audit log. What is committed is sealed first, so that it is shown, and cannot be altered unnoticed any more. */
export const getAuditLog = operation("getAuditLog")(function* (
  { account_id }: Caller,
  { limit, cursor, ...filter }: AuditFilter & { readonly limit: number; readonly cursor?: string | undefined }
) {
  yield* sealChanges(account_id)
  const below = cursor === undefined ? undefined : Number(cursor)
  const { entries, next } = yield* (yield* AuditLog).list(account_id, filter, { limit, below, examined: auditExamined })
  return { data: yield* nameEntries(account_id, entries), next_cursor: next === undefined ? null : String(next) }
})

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

/**
 * Rule: audit#verification.
 *
 * Seals and signs what is open, recomputes the chain of an account and compares it with what was signed.
 */
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
