/**
 * Sends statements with a fixed text directly to a connection. `effect/sql` builds and compiles other statements, which costs as much as a
 * small statement itself. Absent by default: the client of a host does not offer its connections.
 */
import { isTraced } from "@gatewarden/core/internal"
import { Clock, Context, Effect, type Fiber, Option, Tracer } from "effect"
import { SqlClient, type SqlError, Statement } from "effect/sql"
import type { Columns } from "./rows.ts"
import { namedText, type Write } from "./acting.ts"

type Rows = Effect.Effect<readonly Columns[], SqlError.SqlError>

/** Parameters are `$1`, `$2` …, and of types that the driver knows. */
export type Run = (text: string, parameters: readonly unknown[]) => Rows

/** A write of recorded rows is a `Write`: it names its actor. */
export type RunWrite = (write: Write | string, parameters: readonly unknown[]) => Rows

/** `taken` is called when the statement has got its connection. */
type Send = (text: string, parameters: readonly unknown[], taken?: () => void) => Rows

export interface Sends {
  readonly read: Send
  readonly write: Send
  readonly spanAttributes: readonly (readonly [name: string, value: unknown])[]
}

export const FixedStatements = Context.Reference<Sends | undefined>("gatewarden/FixedStatements", {
  defaultValue: () => undefined
})

/** The span that `effect/sql` makes of a statement. */
const withSpan = (
  { spanAttributes }: Sends,
  send: Send,
  text: string,
  parameters: readonly unknown[],
  operation: string | undefined
): Rows =>
  Effect.useSpan(Statement.spanName(spanAttributes), { kind: "client" }, (span) =>
    Effect.withFiber((fiber) => {
      for (const [name, value] of spanAttributes) span.attribute(name, value)
      span.attribute("db.query.text", text)
      if (operation !== undefined) span.attribute("db.operation.name", operation)
      if (!fiber.getRef(Statement.SpanPropagationEnabled)) return send(text, parameters)
      const clock = fiber.getRef(Clock.Clock)
      const taken = () =>
        span.attribute(
          "db.client.connection.wait_time_ms",
          Number(clock.currentTimeNanosUnsafe() - span.status.startTime) / 1e6
        )
      return Effect.provideService(send(text, parameters, taken), Tracer.ParentSpan, span)
    })
  )

/** Tells the span of a statement what the statement does. */
const telling =
  (operation: string): Statement.Transformer =>
  (statement, _sql, _fiber, span) => {
    span.attribute("db.operation.name", operation)
    return Effect.succeed(statement)
  }

/** Within a transaction they run on its connection, like any other statement. */
export const fixedStatements: Effect.Effect<
  { readonly read: Run; readonly write: RunWrite },
  never,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sends = yield* FixedStatements
  const isWithin = (fiber: Fiber.Fiber<unknown, unknown>) =>
    Option.isSome(Context.getOption(fiber.context, sql.transactionService))
  const runWith =
    (send: Send | undefined): RunWrite =>
    (write, given) =>
      Effect.withFiber((fiber) => {
        const [text, parameters, operation] =
          typeof write === "string" ? [write, given, undefined] : namedText(write, given, fiber)
        const traced = isTraced(fiber.context)
        if (sends !== undefined && send !== undefined && !isWithin(fiber))
          return traced ? withSpan(sends, send, text, parameters, operation) : send(text, parameters)
        const statement = sql.unsafe<Columns>(text, parameters)
        return traced && operation !== undefined
          ? Effect.provideService(statement, Statement.CurrentTransformer, telling(operation))
          : statement
      })
  return { read: runWith(sends?.read), write: runWith(sends?.write) }
})
