/** What the command line does with usage. */
import {
  AnalyticsQuery,
  Invoice,
  type Issue,
  SentUsageEvent,
  type UsageEventFilter,
  invoiceQuery,
  usageEventFilter
} from "@gatewarden/contract/internal"
import {
  eventFormats,
  importUsageEvents,
  makeInvoice,
  queryAnalytics,
  readEventFilter,
  readStretch,
  type StorePorts,
  defaultAccountName
} from "@gatewarden/core/internal"
import { Effect, Redacted } from "effect"
import * as z from "zod"
import { failed } from "../failure/Failed.ts"
import { describeIssues } from "../failure/describeIssues.ts"
import { command } from "../store/StoreCommand.ts"
import { orClickhouseFailure } from "../store/openStore.ts"
import { accountNamed } from "./accountNamed.ts"
import { operatorOf } from "./operatorOf.ts"
import { workspaceNamed } from "./workspaceNamed.ts"

const target = z.object({
  account: z.string().default(defaultAccountName),
  /** Id or slug. */
  workspace: z.string().default("default")
})

export const HistoryPlace = z.object({ created_at: z.string(), id: z.string() })

const asUsage = ({ issues }: { readonly issues?: readonly Issue[] }) =>
  failed("usage", ...(issues ?? []).map(({ message }) => message))

export const filterOf = (filter: UsageEventFilter) =>
  Effect.catchTag(readEventFilter(filter), "BadRequest", (refused) => Effect.fail(asUsage(refused)))

const withoutWorkspace = (event: unknown): unknown =>
  typeof event === "object" && event !== null ? { ...event, workspace_id: undefined } : event

export const usageCommands = {
  /** Where an import goes; fails when there is no such place. */
  findUsageTarget: command({
    input: target,
    output: z.object({ account_id: z.string(), workspace_id: z.string() }),
    run: Effect.fnUntraced(function* (input) {
      const { id } = yield* accountNamed(input.account)
      return { account_id: id, workspace_id: (yield* workspaceNamed(id, input)).id }
    })
  }),
  /** The account of an export, and its end if none is given: what is recorded from now on is not in it. */
  findUsageExport: command({
    input: z.object({ account: z.string().default(defaultAccountName), filter: usageEventFilter }),
    output: z.object({ account_id: z.string(), end: z.string() }),
    run: Effect.fnUntraced(function* ({ account, filter }) {
      const { id } = yield* accountNamed(account)
      const { end } = yield* filterOf(filter)
      return { account_id: id, end }
    })
  }),
  makeInvoice: command({
    input: z.object({ account: z.string().default(defaultAccountName), query: invoiceQuery }),
    output: Invoice,
    run: Effect.fnUntraced(function* ({ account, query }) {
      const { id } = yield* accountNamed(account)
      return yield* makeInvoice(id, query).pipe(
        Effect.catchTags({
          BadRequest: (refused) => Effect.fail(asUsage(refused)),
          RateLimited: () => Effect.fail(failed("busy", "Too many analytics queries of the account wait")),
          TimedOut: () => Effect.fail(failed("busy", "The usage of the month was not summed in time"))
        })
      )
    })
  }),
  /** What the usage of one provider comes to by day and model. */
  sumUsage: command({
    input: z.object({
      account: z.string().default(defaultAccountName),
      provider: z.string(),
      start: z.string(),
      end: z.string()
    }),
    output: z.object({
      account_id: z.string(),
      days: z.array(z.object({ date: z.string(), model: z.string(), cost_usd: z.string(), tokens: z.string() }))
    }),
    run: Effect.fnUntraced(function* ({ account, provider, start, end }) {
      const { id } = yield* accountNamed(account)
      const query = AnalyticsQuery.parse({
        metrics: ["credits_usage", "tokens_total"],
        dimensions: ["model"],
        granularity: "day",
        time_range: { start, end },
        filters: { provider }
      })
      const { data, metadata } = yield* queryAnalytics(operatorOf(id), query).pipe(
        Effect.catchTags({
          BadRequest: (refused) => Effect.fail(asUsage(refused)),
          RateLimited: () => Effect.fail(failed("busy", "Too many analytics queries of the account wait")),
          TimedOut: () => Effect.fail(failed("busy", "The usage was not summed in time"))
        })
      )
      if (metadata.truncated)
        return yield* failed("usage", "The days have more than 10,000 rows by model: reconcile fewer days at a time")
      const days = data.map((row) => ({
        date: String(row["date__day"]).slice(0, 10),
        model: String(row["model"]),
        cost_usd: String(row["credits_usage"]),
        tokens: String(row["tokens_total"])
      }))
      return { account_id: id, days }
    })
  }),
  exportUsage: command({
    input: z.object({
      account_id: z.string(),
      filter: usageEventFilter,
      format: z.enum(eventFormats),
      place: HistoryPlace.optional()
    }),
    output: z.object({ text: z.string(), events: z.int(), next: HistoryPlace.optional() }),
    run: Effect.fnUntraced(function* ({ account_id, filter, format, place }) {
      return yield* readStretch(account_id, yield* filterOf(filter), place, format)
    })
  }),
  /** Moves a piece of the history to ClickHouse. */
  moveUsage: command({
    input: z.object({ url: z.string(), cluster: z.string().optional() }),
    output: z.object({ events: z.int(), isDone: z.boolean() }),
    run: Effect.fnUntraced(function* ({ url, cluster }) {
      const services = yield* Effect.context<StorePorts>()
      const { migrateClickhouse, moveUsage, openClickhouse } = yield* Effect.promise(
        () => import("@gatewarden/clickhouse/internal")
      )
      return yield* orClickhouseFailure(
        Effect.gen(function* () {
          const clickhouse = yield* openClickhouse({ url: Redacted.make(url), cluster })
          yield* migrateClickhouse(clickhouse, { cluster })
          return yield* moveUsage(clickhouse, services)
        })
      )
    }, Effect.scoped)
  }),
  importUsage: command({
    /** An event without a workspace goes to its key's, else to the one given here. What is no event is refused by itself. */
    input: z.object({
      account_id: z.string(),
      workspace_id: z.string(),
      events: z.array(z.unknown()),
      /** The workspaces that events name are those of another installation. */
      ignore_workspaces: z.boolean().default(false)
    }),
    output: z.object({
      accepted: z.int(),
      duplicates: z.int(),
      /** Why events were not recorded, by their index. */
      refused: z.array(z.object({ index: z.int(), message: z.string() }))
    }),
    run: Effect.fnUntraced(function* ({ account_id, workspace_id, events, ignore_workspaces }) {
      const operator = operatorOf(account_id, workspace_id)
      const { fit, places, unfit } = sorted(ignore_workspaces ? events.map(withoutWorkspace) : events)
      const { refused, ...counts } = yield* importUsageEvents(operator, fit)
      const refusedByStore = refused.map(({ index, issue }) => ({
        index: places[index] ?? index,
        message: `${issue.path}: ${issue.message}`
      }))
      return { ...counts, refused: [...unfit, ...refusedByStore] }
    })
  })
} as const

/** What the contract takes for events, with their places among what was sent, and why it does not take the others. */
const sorted = (events: readonly unknown[]) => {
  const fit: SentUsageEvent[] = []
  const places: number[] = []
  const unfit: { readonly index: number; readonly message: string }[] = []
  for (const [index, event] of events.entries()) {
    const result = SentUsageEvent.safeParse(event)
    if (result.success) {
      fit.push(result.data)
      places.push(index)
    } else unfit.push({ index, message: describeIssues(result.error).join("; ") })
  }
  return { fit, places, unfit }
}
