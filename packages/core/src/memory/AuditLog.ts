import { Effect } from "effect"
import { Digest } from "../platform/Digest.ts"
import { sameBytes } from "../value/bytes.ts"
import {
  type AuditBreak,
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  auditPageBytes,
  maxBroken,
  sealBatch
} from "../ports/auditLog.ts"
import type { RecordedChange, Seal, SealedChange } from "./tables/RecordedChanges.ts"
import { auditOwner, type Tables } from "./tables/Tables.ts"

const matches = (entry: RecordedChange["entry"], filter: AuditFilter): boolean =>
  (filter.actor === undefined || entry.actor.id === filter.actor || entry.actor.type === filter.actor) &&
  (filter.noun === undefined || entry.noun === filter.noun) &&
  (filter.entity === undefined || entry.entity === filter.entity) &&
  (filter.operation === undefined || entry.operation === filter.operation) &&
  (filter.from === undefined || Date.parse(entry.at) >= Date.parse(filter.from)) &&
  (filter.to === undefined || Date.parse(entry.at) < Date.parse(filter.to))

const encoder = new TextEncoder()
const bytesOf = ({ before, after }: RecordedChange["entry"]): number =>
  [before, after].reduce(
    (sum, facts) => sum + (facts === null ? 0 : encoder.encode(JSON.stringify(facts)).byteLength),
    0
  )

export const auditLog = (tables: Tables) => {
  const { changes, auditChains } = tables
  const rowsOf = (account_id: string): readonly SealedChange[] => auditChains.get(account_id)?.rows ?? []
  const headOf = (account_id: string): Seal | undefined =>
    rowsOf(account_id).at(-1)?.seal ?? auditChains.get(account_id)?.pruned
  const sealAt = (account_id: string, position: number): Seal | undefined => {
    const pruned = auditChains.get(account_id)?.pruned
    return pruned?.position === position ? pruned : rowsOf(account_id)[position - (pruned?.position ?? 0) - 1]?.seal
  }
  const hashOf = (previous: Seal | undefined, { entry }: RecordedChange) =>
    Effect.flatMap(Digest, (digest) => digest.sha256Hex(`${previous?.hash ?? ""} ${JSON.stringify(entry)}`))

  return AuditLog.of({
    list: (account_id, filter, { limit, below, examined }) =>
      Effect.sync(() => {
        const rows = rowsOf(account_id)
        const first = rows[0]?.seal.position ?? 1
        const end = below === undefined ? rows.length : Math.min(Math.max(below - first, 0), rows.length)
        const entries: AuditEntry[] = []
        let bytes = 0
        for (const { entry, seal } of rows.slice(Math.max(end - examined, 0), end).toReversed()) {
          if (!matches(entry, filter)) continue
          bytes += bytesOf(entry)
          if (entries.length === 0 || bytes <= auditPageBytes) entries.push({ ...entry, ...seal })
          if (entries.length === limit || bytes > auditPageBytes) return { entries, next: entries.at(-1)?.position }
        }
        return { entries, next: rows[end - examined]?.seal.position }
      }),
    seal: (account_id) =>
      Effect.gen(function* () {
        const batch: RecordedChange[] = []
        for (const row of changes.open) {
          if (batch.length === sealBatch) break
          if (account_id === undefined || auditOwner(tables, row.change) === account_id) batch.push(row)
        }
        for (const row of batch) {
          const owner = auditOwner(tables, row.change)
          const previous = headOf(owner)
          const hash = yield* hashOf(previous, row)
          if (!changes.open.delete(row)) continue
          const chain = auditChains.get(owner) ?? { rows: [], pruned: undefined, signature: null, isSigned: false }
          chain.rows.push(Object.assign(row, { seal: { position: (previous?.position ?? 0) + 1, hash } }))
          chain.isSigned = false
          auditChains.set(owner, chain)
        }
        return batch.length
      }),
    unsigned: (of_account, limit) =>
      Effect.sync(() =>
        [...auditChains]
          .flatMap(([account_id, { isSigned, signature }]) => {
            const head = headOf(account_id)
            return isSigned || head === undefined || (of_account !== undefined && of_account !== account_id)
              ? []
              : [{ account_id, ...head, signature }]
          })
          .slice(0, limit)
      ),
    sign: (signatures) =>
      Effect.sync(() => {
        for (const { account_id, position, signature, replaces, follows } of signatures) {
          const chain = auditChains.get(account_id)
          if (chain === undefined) continue
          if (headOf(account_id)?.position === position) chain.isSigned = true
          const isSame =
            replaces === null || chain.signature === null
              ? chain.signature === replaces
              : sameBytes(chain.signature, replaces)
          if (isSame && (follows === undefined || sealAt(account_id, follows.position)?.hash === follows.hash))
            chain.signature = signature
        }
      }),
    signature: (account_id) => Effect.sync(() => auditChains.get(account_id)?.signature ?? null),
    verify: (account_id, signed) =>
      Effect.gen(function* () {
        const chain = [...rowsOf(account_id)]
        const head = headOf(account_id) ?? null
        const broken: AuditBreak[] = []
        let previous = auditChains.get(account_id)?.pruned
        for (const row of chain) {
          if ((yield* hashOf(previous, row)) !== row.seal.hash)
            broken.push({ position: row.seal.position, problem: "edited" })
          previous = row.seal
        }
        if (signed !== undefined && (head?.position ?? 0) < signed.position)
          broken.push({ position: (head?.position ?? 0) + 1, problem: "missing" })
        else if (signed !== undefined && (sealAt(account_id, signed.position)?.hash ?? signed.hash) !== signed.hash)
          broken.push({ position: signed.position, problem: "edited" })
        const removed = auditChains.get(account_id)?.pruned?.position ?? 0
        return { verified: chain.length, head, removed, broken: broken.slice(0, maxBroken) }
      })
  })
}
