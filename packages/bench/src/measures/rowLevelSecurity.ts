/** What row-level security costs a read by id: for one account, whose sessions stay set to it, and for many in turn, which set it each time. */
import { Guardrails } from "@gatewarden/core/store"
import { Effect } from "effect"
import { makeTenantRole } from "@gatewarden/testkit/stores/tenantRole"
import { callConcurrently } from "../callConcurrently.ts"
import { guardrailAt } from "../guardrailAt.ts"
import type { Race } from "../Measure.ts"
import { type Bench, connections } from "../openBench.ts"
import { openLibrary } from "../openLibrary.ts"

const race = (name: string, atLeast: number, accountOf: (bench: Bench, index: number) => string): Race => ({
  kind: "race",
  name: `Read by id with row-level security, ${name}`,
  atLeast,
  open: async (bench) => {
    await makeTenantRole(bench.databaseUrl)
    const held = await openLibrary(bench, { rowLevelSecurity: true })
    const unheld = await openLibrary(bench)
    const found = (library: typeof held) =>
      callConcurrently(connections, (index, onDone) =>
        library.start(
          Effect.flatMap(Guardrails, ({ find }) => find(accountOf(bench, index), guardrailAt(bench, index))),
          onDone
        )
      )
    return {
      ours: found(held),
      bare: { "without it": found(unheld) },
      close: async () => {
        await held.close()
        await unheld.close()
      }
    }
  }
})

const accounts = Array.from({ length: 64 }, () => crypto.randomUUID())

export const rowLevelSecurity: readonly Race[] = [
  race("one account", 0.25, ({ account_id }) => account_id),
  race("64 accounts in turn", 0.15, (_, index) => accounts[index % accounts.length] ?? "")
]
