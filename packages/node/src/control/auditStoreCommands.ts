/** What `gatewarden audit …` asks of a store. */
import { AuditEntry, getAuditLog as declared } from "@gatewarden/contract/internal"
import {
  nameEntries,
  sealChanges,
  verifyAuditLog,
  type AuditEntry as StoredEntry,
  AuditLog,
  type AuditPage,
  auditExamined,
  auditPageBytes,
  defaultAccountName
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import * as z from "zod"
import { command } from "../store/StoreCommand.ts"
import { accountNamed } from "./accountNamed.ts"

const account = z.string().default(defaultAccountName)
const { noun, from, to, actor, entity, operation } = declared.query.shape

export const auditCommands = {
  listAuditLog: command({
    input: z.object({
      account,
      limit: z.int().min(1).max(1_000).default(50),
      below: z.int().min(1).optional(),
      noun,
      from,
      to,
      actor,
      entity,
      operation
    }),
    output: z.object({ entries: z.array(AuditEntry), next: z.int().nullable() }),
    run: Effect.fnUntraced(function* ({ account, limit, below, ...filter }) {
      const { id } = yield* accountNamed(account)
      yield* sealChanges(id)
      const log = yield* AuditLog
      const found: StoredEntry[] = []
      let next: number | undefined = below
      let bytes = 0
      // A page that ends before it is full has examined as much as one page may: what matches may come later.
      do {
        const page: AuditPage = yield* log.list(id, filter, {
          limit: limit - found.length,
          below: next,
          examined: auditExamined
        })
        found.push(...page.entries)
        bytes += JSON.stringify(page.entries).length
        next = page.next
      } while (next !== undefined && next !== found.at(-1)?.position && bytes < auditPageBytes)
      return { entries: yield* nameEntries(id, found), next: next ?? null }
    })
  }),
  verifyAuditLog: command({
    input: z.object({ account }),
    output: z.object({
      verified: z.int(),
      head: z.object({ position: z.int(), hash: z.string() }).nullable(),
      removed: z.int(),
      signed: z.object({ position: z.int(), since: z.int() }).nullable(),
      is_signature_unreadable: z.boolean(),
      unsigned: z.int(),
      broken: z.array(
        z.union([
          z.object({ position: z.int(), problem: z.enum(["edited", "missing"]) }),
          z.object({ problem: z.literal("inserted"), noun: z.string(), action: z.string(), entity: z.string() })
        ])
      )
    }),
    run: Effect.fnUntraced(function* ({ account }) {
      const { id } = yield* accountNamed(account)
      const { broken, ...proof } = yield* verifyAuditLog(id)
      return { ...proof, broken: [...broken] }
    })
  })
}
