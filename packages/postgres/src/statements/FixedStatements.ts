/**
 * Sends statements with a fixed text directly to a connection. `effect/sql` builds, compiles and traces other statements, which costs
 * as much as a small statement itself. Absent by default: the client of a host does not offer its connections.
 */
import { isTraced } from "@gatewarden/core/store"
import { Context, Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Columns } from "./rows.ts"
import { actingOf, withActing } from "./acting.ts"

/** Parameters are `$1`, `$2` …, and of types that the driver knows. */
export type Run = (text: string, parameters: readonly unknown[]) => Effect.Effect<readonly Columns[], SqlError.SqlError>

export interface Runs {
  readonly read: Run
  readonly write: Run
}

export const FixedStatements = Context.Reference<Runs | undefined>("gatewarden/FixedStatements", {
  defaultValue: () => undefined
})

/** Within a transaction, or where somebody looks at spans, they are statements like any other. */
export const fixedStatements: Effect.Effect<Runs, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const straight = yield* FixedStatements
  const plain: Run = (text, parameters) => sql.unsafe<Columns>(text, parameters)
  if (straight === undefined) return { read: plain, write: plain }
  const straightUnless =
    (run: Run, writes: boolean): Run =>
    (text, parameters) =>
      Effect.withFiber((fiber) => {
        if (isTraced(fiber.context) || Option.isSome(Context.getOption(fiber.context, sql.transactionService)))
          return plain(text, parameters)
        const acting = writes ? actingOf(fiber) : undefined
        return acting === undefined ? run(text, parameters) : run(...withActing(text, parameters, acting))
      })
  return { read: straightUnless(straight.read, false), write: straightUnless(straight.write, true) }
})
