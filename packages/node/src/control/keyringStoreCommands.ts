/** What `gatewarden keyring` asks of a store. */
import { Vault, checkSecrets, rewrapSecrets, Processes, SealedSecrets, sealedFields } from "@gatewarden/core/internal"
import { Effect } from "effect"
import * as z from "zod"
import { command } from "../store/StoreCommand.ts"

/** Where a batch begins: the place of a value, which is no secret. */
const Place = z.object({
  table: z.string(),
  field: z.string(),
  account_id: z.string(),
  workspace_id: z.string(),
  row_id: z.string()
})

const Process = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int().nullable(),
  key_ids: z.array(z.string()),
  started_at: z.string()
})

export const keyringCommands = {
  countSecrets: command({
    input: z.object({}),
    output: z.object({ primary: z.string(), total: z.int(), behind: z.int(), processes: z.array(Process) }),
    run: Effect.fnUntraced(function* () {
      const processes = yield* (yield* Processes).running
      const secrets = yield* SealedSecrets
      const primary = (yield* Vault).primaryKeyId
      const counts = yield* Effect.forEach(sealedFields, (field) => secrets.count(field, primary))
      return {
        primary,
        total: counts.reduce((sum, { total }) => sum + total, 0),
        behind: counts.reduce((sum, { behind }) => sum + behind, 0),
        processes: processes.map((process) => ({ ...process, key_ids: [...process.key_ids] }))
      }
    })
  }),
  checkSecrets: command({
    input: z.object({ limit: z.int().positive() }),
    output: z.object({ opened: z.int(), unreadable: z.int(), foreign_key_ids: z.array(z.string()) }),
    run: ({ limit }) =>
      Effect.map(checkSecrets(limit), ({ opened, unreadable, foreign_key_ids }) => ({
        opened,
        unreadable,
        foreign_key_ids: [...foreign_key_ids]
      }))
  }),
  rewrapSecrets: command({
    input: z.object({ field: z.enum(sealedFields), after: Place.optional() }),
    output: z.object({ rewrapped: z.int(), unreadable: z.int(), next: Place.optional() }),
    run: ({ field, after }) => rewrapSecrets(field, after)
  })
} as const
