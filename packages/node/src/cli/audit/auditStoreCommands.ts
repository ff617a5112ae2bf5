/** What `gatewarden audit …` asks of a store. */
import { AuditEntry, getAuditLog as declared } from "@gatewarden/contract"
import { AuditLog, defaultAccountName } from "@gatewarden/core/store"
import { sealChanges } from "@gatewarden/core/effect"
import { Effect } from "effect"
import * as z from "zod"
import { accountNamed } from "../store/accountNamed.ts"
import { command } from "../store/StoreCommand.ts"

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
    output: z.object({ entries: z.array(AuditEntry), more: z.boolean() }),
    run: Effect.fnUntraced(function* ({ account, limit, below, ...filter }) {
      const { id } = yield* accountNamed(account)
      yield* sealChanges(id)
      const { entries, more } = yield* (yield* AuditLog).list(id, filter, { limit, below })
      return { entries: entries as z.output<typeof AuditEntry>[], more }
    })
  }),
  verifyAuditLog: command({
    input: z.object({ account }),
    output: z.object({
      verified: z.int(),
      head: z.object({ position: z.int(), hash: z.string() }).nullable(),
      broken: z.array(
        z.union([
          z.object({ position: z.int(), problem: z.enum(["edited", "missing"]) }),
          z.object({ problem: z.literal("inserted"), noun: z.string(), action: z.string(), entity: z.string() })
        ])
      )
    }),
    run: Effect.fnUntraced(function* ({ account }) {
      const { id } = yield* accountNamed(account)
      yield* sealChanges(id)
      const { broken, ...verdict } = yield* (yield* AuditLog).verify(id)
      return { ...verdict, broken: [...broken] }
    })
  })
}
