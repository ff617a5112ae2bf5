import { Effect } from "effect"
import { Digest } from "../platform/Digest.ts"
import {
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  auditPageBytes,
  maxBroken,
  sealBatch
} from "../stream/AuditLog.ts"
import type { RecordedChange } from "./tables/RecordedChanges.ts"
import { auditOwner, type Tables } from "./tables/Tables.ts"

/** What the first hash of a chain follows. */
const genesis = ""

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

/** Those that make a page. */
const pageOf = (rows: readonly RecordedChange[], limit: number): readonly RecordedChange[] => {
  const page: RecordedChange[] = []
  let bytes = 0
  for (const row of rows.slice(0, limit)) {
    bytes += bytesOf(row.entry)
    if (page.length > 0 && bytes > auditPageBytes) break
    page.push(row)
  }
  return page
}

export const auditLog = (tables: Tables) => {
  const { rows } = tables.changes
  const ofAccount = (account_id: string) => rows.filter(({ change }) => auditOwner(tables, change) === account_id)
  const isSealed = ({ position }: RecordedChange): boolean => position !== undefined
  const hashOf = (previous: string, { entry }: RecordedChange) =>
    Effect.flatMap(Digest, (digest) => digest.sha256Hex(`${previous} ${JSON.stringify(entry)}`))

  return AuditLog.of({
    list: (account_id, filter, { limit, below }) =>
      Effect.sync(() => {
        const found = ofAccount(account_id)
          .filter((row) => isSealed(row) && (below === undefined || (row.position ?? 0) < below))
          .filter(({ entry }) => matches(entry, filter))
          .sort((a, b) => (b.position ?? 0) - (a.position ?? 0))
        const page = pageOf(found, limit)
        return {
          entries: page.map(({ entry, position = 0, hash = "" }): AuditEntry => ({ ...entry, position, hash })),
          more: page.length === limit || page.length < found.length
        }
      }),
    seal: (account_id) =>
      Effect.gen(function* () {
        const open = rows
          .filter(
            (row) => !isSealed(row) && (account_id === undefined || auditOwner(tables, row.change) === account_id)
          )
          .slice(0, sealBatch)
        for (const row of open) {
          const last = tables.auditHeads.get(auditOwner(tables, row.change))
          const hash = yield* hashOf(last?.hash ?? genesis, row)
          if (isSealed(row)) continue
          row.position = (last?.position ?? 0) + 1
          row.hash = hash
          tables.auditHeads.set(auditOwner(tables, row.change), { position: row.position, hash })
        }
        return open.length
      }),
    verify: (account_id) =>
      Effect.gen(function* () {
        const chain = ofAccount(account_id).filter(isSealed)
        const broken: { position: number; problem: "edited" }[] = []
        let previous = tables.auditTails.get(account_id) ?? genesis
        for (const row of chain) {
          const { position = 0, hash = "" } = row
          if ((yield* hashOf(previous, row)) !== hash) broken.push({ position, problem: "edited" })
          previous = hash
        }
        const head = tables.auditHeads.get(account_id) ?? null
        return { verified: chain.length, head, broken: broken.slice(0, maxBroken) }
      })
  })
}
