/** What is measured while history grows: every operation of the ledger, and everything that is read by key, by model or as a list. */
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { planQuery } from "@gatewarden/core/internal"
import {
  AnalyticsReader,
  ApiKeys,
  Assignments,
  type Budget,
  BudgetLedger,
  ByokCredentials,
  DatasetsReader,
  Destinations,
  EndpointStatisticsReader,
  Files,
  Generations,
  Guardrails,
  KeyUsageReader,
  PolicySources,
  RankingsReader,
  type StorePorts,
  UsageHistory,
  UsageLog,
  WorkspaceMembers
} from "@gatewarden/core/store"
import { Effect, Stream } from "effect"
import { hash, randomUUID } from "node:crypto"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { account, filePlace, guardrail, workspace } from "./seedRows.ts"

export interface Operation {
  readonly name: string
  /** Calls it in turn with the number of the call, from 0: no two calls need the same rows. */
  readonly call: (index: number) => Effect.Effect<unknown, never, StorePorts>
  /** What is done before each call, as SQL, and not measured. */
  readonly before?: readonly string[]
  /** Also measured right after the rows were written, before anything was vacuumed or analyzed. */
  readonly atOnce?: boolean
}

const keyOf = (n: number): string => hash("sha256", `key ${n}`, "hex")
const busiest = 1
const ample = 10n ** 18n

const budget = (scope: Budget["scope"], entity: string, interval: Budget["interval"]): Budget => ({
  scope,
  entity,
  guardrail_id: null,
  interval,
  limit_nanos: ample,
  include_byok: false
})

/** A key within its user and the workspace that everything is in. */
const fourScopes = (key: number): readonly Budget[] => [
  budget("key_limit", keyOf(key), "lifetime"),
  budget("key", keyOf(key), "daily"),
  budget("member", `user ${key}`, "weekly"),
  budget("workspace_budget", workspace, "monthly")
]

const ledger = <A>(use: (ledger: BudgetLedger["Service"]) => Effect.Effect<A>) => Effect.flatMap(BudgetLedger, use)

const hold = (admission_id: string, key: number) =>
  ledger((port) =>
    port.hold(account, {
      admission_id,
      workspace_id: workspace,
      key_hash: keyOf(key),
      user_id: `user ${key}`,
      budgets: fourScopes(key),
      costs: [{ nanos: 1000n, byok: false }],
      hold_seconds: 600
    })
  )

const eventOf = (id: string, key: number) =>
  spendingEvent({
    id,
    created_at: new Date().toISOString(),
    workspace_id: workspace,
    api_key_hash: keyOf(key),
    user_id: `user ${key}`,
    cost_nanos: 700n
  })

/** As at midnight, with nothing in flight. */
const withoutWindows = [
  `delete from gatewarden_budget_window where account_id = '${account}'`,
  `delete from gatewarden_hold where account_id = '${account}'`
]

const importedAtOnce = 1_000

const analytics = (name: string, days: number, query: object): Operation => {
  const end = Date.parse(`${dayBefore(0)}T00:00:00Z`)
  const planned = planQuery(
    AnalyticsQuery.parse({
      metrics: ["request_count", "total_usage"],
      time_range: { start: new Date(end - days * 86_400_000).toISOString(), end: new Date(end).toISOString() },
      ...query
    }),
    end
  )
  if (!planned.ok) throw new Error(planned.reason)
  return {
    name: `analytics ${name}, ${days} days`,
    call: () => Effect.flatMap(AnalyticsReader, (reader) => reader.read(account, planned.plan))
  }
}

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** `keys`: how many rows each list has. */
export const operations = (keys: number): readonly Operation[] => {
  /** Of this run: another one does not meet its ids. */
  const run = randomUUID()
  const first = { limit: 100, offset: 0 }
  /** The farthest from both ends: an offset passes every entry of the index between. */
  const middle = { limit: 100, offset: keys / 2 }
  const last = { limit: 100, offset: keys - 100 }
  const everywhere = { workspace_id: workspace }
  const list = (
    name: string,
    read: (page: { limit: number; offset: number }) => Effect.Effect<unknown, never, StorePorts>
  ): readonly Operation[] => [
    { name: `${name}, page at the start`, call: () => read(first) },
    { name: `${name}, page in the middle`, call: () => read(middle) },
    { name: `${name}, page at the end`, call: () => read(last) }
  ]
  return [
    {
      name: "states (explain), no window open",
      before: withoutWindows,
      call: () => ledger((port) => port.states(account, workspace, fourScopes(busiest))),
      atOnce: true
    },
    {
      name: "hold that opens the windows of the busiest key",
      before: withoutWindows,
      call: (index) => hold(`${run} opening ${index}`, busiest),
      atOnce: true
    },
    {
      name: "hold that opens the windows of another key",
      call: (index) => hold(`${run} first ${index}`, 2 + (index % (keys - 2)))
    },
    { name: "hold, four scopes", call: (index) => hold(`${run} hold ${index}`, busiest) },
    { name: "renew", call: (index) => ledger((port) => port.renew(account, `${run} hold ${index % 50}`, 600)) },
    { name: "release", call: (index) => ledger((port) => port.release(account, `${run} hold ${index}`)) },
    {
      name: "hold and settle, four scopes",
      call: (index) =>
        Effect.andThen(
          hold(`${run} settle ${index}`, busiest),
          ledger((port) => port.settle(account, eventOf(`${run} settle ${index}`, busiest)))
        )
    },
    {
      name: "states (explain), windows open",
      call: () => ledger((port) => port.states(account, workspace, fourScopes(busiest)))
    },
    {
      name: `import of ${importedAtOnce} events`,
      call: (index) =>
        Effect.flatMap(UsageLog, (log) =>
          log.record(
            account,
            Stream.succeed(
              Array.from({ length: importedAtOnce }, (_, n) => eventOf(`${run} import ${index} ${n}`, 1 + (n % 100)))
            )
          )
        )
    },
    {
      name: "usage of the busiest key (GET /key)",
      call: () => Effect.flatMap(KeyUsageReader, (port) => port.usageOf(account, [keyOf(busiest)])),
      atOnce: true
    },
    {
      name: "usage of a page of keys (GET /keys)",
      call: () => {
        const page = Array.from({ length: 100 }, (_, n) => keyOf(1 + n))
        return Effect.flatMap(KeyUsageReader, (port) => port.usageOf(account, page))
      },
      atOnce: true
    },
    {
      name: "statistics of a model's endpoints",
      call: (index) =>
        Effect.flatMap(EndpointStatisticsReader, (port) =>
          port.measure({
            slug: `acme/model-${index % 20}`,
            variants: { included: [""], listed: [""], others: true },
            endpoints: ["openai", "anthropic"].map((provider_slug) => ({ tag: provider_slug, provider_slug })),
            now: Date.now()
          })
        ),
      atOnce: true
    },
    {
      name: "dataset of tasks, with today",
      call: () => Effect.flatMap(DatasetsReader, (port) => port.tasks({ first: dayBefore(6), last: dayBefore(0) }))
    },
    analytics("in total", 30, {}),
    analytics("by day and model", 30, { dimensions: ["model"], granularity: "day" }),
    analytics("by hour and provider", 7, { dimensions: ["provider"], granularity: "hour" }),
    analytics("of latency by model", 30, { metrics: ["p50_latency", "p99_latency"], dimensions: ["model"] }),
    analytics("of spending by key (start of a replay)", 30, { dimensions: ["api_key_id"], limit: 10_000 }),
    {
      name: "rankings of 30 days",
      call: () =>
        Effect.flatMap(RankingsReader, (port) => port.rank({ period: "day", first: dayBefore(30), last: dayBefore(1) }))
    },
    {
      name: "one event by its id",
      call: (index) => Effect.flatMap(Generations, (port) => port.find(account, `event ${1 + index}`))
    },
    {
      name: "100 events of a key's history (replay)",
      call: () =>
        Effect.flatMap(UsageHistory, (port) =>
          port.after(
            account,
            { start: "2020-01-01T00:00:00.000Z", end: "2100-01-01T00:00:00.000Z", api_key_hash: keyOf(busiest) },
            undefined,
            100
          )
        )
    },
    {
      name: "a page of 100 events (export)",
      call: (index) =>
        Effect.flatMap(UsageHistory, (port) =>
          Effect.gen(function* () {
            const filter = { start: undefined, end: "2100-01-01T00:00:00.000Z", equal: {}, tag: undefined }
            const place = { created_at: new Date(Date.now() - 86_400_000 * (index % 30)).toISOString(), id: "" }
            const { last } = yield* port.pageAfter(account, filter, place, { limit: 100, examined: 1_000 })
            return yield* port.eventsBetween(account, filter, place, last)
          })
        )
    },
    {
      name: "authentication of a key",
      call: (index) => Effect.flatMap(ApiKeys, (port) => port.authenticate(keyOf(1 + (index % keys))))
    },
    {
      name: "what applies to a key",
      call: (index) => Effect.flatMap(PolicySources, (port) => port.of(account, keyOf(1 + (index % keys))))
    },
    ...list("keys", (page) =>
      Effect.flatMap(ApiKeys, (port) => port.list(account, { kind: "normal", disabled: false, ...everywhere }, page))
    ),
    ...list("assignments of keys", (page) => Effect.flatMap(Assignments, (port) => port.listKeys(account, {}, page))),
    ...list("assignments of members to a guardrail", (page) =>
      Effect.flatMap(Assignments, (port) => port.listMembers(account, { guardrail_id: guardrail }, page))
    ),
    ...list("members of a workspace", (page) =>
      Effect.flatMap(WorkspaceMembers, (port) => port.list(account, workspace, page))
    ),
    ...list("guardrails", (page) => Effect.flatMap(Guardrails, (port) => port.list(account, everywhere, page))),
    ...list("credentials", (page) =>
      Effect.flatMap(ByokCredentials, (port) => port.list(account, { ...everywhere, provider: undefined }, page))
    ),
    ...list("credentials of a provider", ({ limit, offset }) =>
      Effect.flatMap(ByokCredentials, (port) =>
        port.list(account, { ...everywhere, provider: "openai" }, { limit, offset: Math.floor(offset / 2) })
      )
    ),
    ...list("destinations", (page) => Effect.flatMap(Destinations, (port) => port.list(account, everywhere, page))),
    ...list("files", ({ limit, offset }) =>
      Effect.flatMap(Files, (port) =>
        port.list(account, workspace, { after: offset === 0 ? undefined : filePlace(offset), limit })
      )
    ),
    ...list("budget warnings", (page) => ledger((port) => port.warnings(account, workspace, page)))
  ]
}
