/** What an export of FOCUS asks of a store. */
import { CreditGrant, usageEventFilter } from "@gatewarden/contract/internal"
import { mostNamed, readEvents } from "@gatewarden/core/internal"
import { Credits, EntityNames, type NamedKind } from "@gatewarden/core/store"
import { Effect } from "effect"
import * as z from "zod"
import { command } from "../store/StoreCommand.ts"
import { chargesOf, PrintedCharge, printCharge } from "./charges.ts"
import { filterOf, HistoryPlace } from "./usageStoreCommands.ts"

const names = z.record(z.string(), z.string())
const ids = z.array(z.string()).max(mostNamed)

/** Entries of one answer. */
const creditsAtOnce = 500

const namesOf = Effect.fnUntraced(function* (account_id: string, kind: NamedKind, wanted: readonly string[]) {
  if (wanted.length === 0) return {}
  const found = yield* (yield* EntityNames).of(account_id, kind, wanted)
  return Object.fromEntries([...found].map(([id, { name }]) => [id, name]))
})

export const focusCommands = {
  /** The next events, summed to charges, and where to read on. */
  readCharges: command({
    input: z.object({ account_id: z.string(), filter: usageEventFilter, place: HistoryPlace.optional() }),
    output: z.object({ charges: z.array(PrintedCharge), next: HistoryPlace.optional() }),
    run: Effect.fnUntraced(function* ({ account_id, filter, place }) {
      const asked = { ...(yield* filterOf(filter)), apart: true }
      const { events, next } = yield* readEvents(account_id, asked, place)
      return { charges: chargesOf(events).map(printCharge), next }
    })
  }),
  nameCharges: command({
    input: z.object({ account_id: z.string(), workspaces: ids, keys: ids }),
    output: z.object({ workspaces: names, keys: names }),
    run: Effect.fnUntraced(function* ({ account_id, workspaces, keys }) {
      return {
        workspaces: yield* namesOf(account_id, "workspace", workspaces),
        keys: yield* namesOf(account_id, "key", keys)
      }
    })
  }),
  /** Entries of the account's credits from a place on, the latest first. */
  listCredits: command({
    input: z.object({ account_id: z.string(), offset: z.int() }),
    output: z.object({ entries: z.array(CreditGrant) }),
    run: Effect.fnUntraced(function* ({ account_id, offset }) {
      const entries = yield* (yield* Credits).list(account_id, { offset, limit: creditsAtOnce })
      return { entries: [...entries] }
    })
  })
} as const
