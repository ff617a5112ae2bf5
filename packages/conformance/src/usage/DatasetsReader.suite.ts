/** Holds a store to the meaning of the datasets of apps, tasks and sessions: random events and requests, against an oracle. */
import type { CatalogModel } from "@gatewarden/contract"
import {
  type AppRankingsRequest,
  DatasetsReader,
  ModelCatalog,
  type SampledSums,
  type SessionCostRequest,
  type StorePorts,
  UsageLog,
  ensureDefaultAccount
} from "@gatewarden/core/internal"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import * as fc from "fast-check"
import { catalogModel } from "../model/catalogModel.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { expectedApps, expectedSessions, expectedTasks, type Recorded } from "./datasetsOracle.ts"
import type { Listed } from "./rankingsOracle.ts"
import { endpointTags } from "./publicUsage.ts"
import { usageEventArbitrary } from "./usageEventArbitrary.ts"

/** After every day that is counted here. */
const now = Date.parse("2026-03-04T12:00:00.000Z")

/** Aliases of public apps, and what names none. */
const origins = [
  "https://app.example.com",
  "https://www.App.example.com/page?x#y",
  "http://app.example.com:8080",
  "https://b.example",
  "https://B.example#",
  "https://c-1.example.org/",
  "https://www.com",
  "https://localhost:3000",
  "https://printer.local",
  "http://10.0.0.1/",
  "http://[::1]/",
  "https://user@b.example",
  "https://b.example:123456",
  "https://b_.example",
  "https://ähnlich.example",
  "https://b.example.",
  "ftp://b.example",
  "b.example",
  "",
  "https://b.example\n",
  " https://b.example"
]

const days = ["2024-12-31", "2025-01-01", "2025-01-05", "2025-01-06", "2026-01-04", "2026-01-05", "2026-01-06"]
const moreDays = ["2026-01-07", "2026-01-11", "2026-01-12", "2026-02-01", "2026-02-02"]
const day = fc.constantFrom(...days, ...moreDays)
const instant = fc
  .tuple(day, fc.constantFrom("00:00:00.000", "12:00:00.000", "23:59:59.999"))
  .map(([date, time]) => `${date}T${time}Z`)

const tokens = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) },
  fc.constantFrom(1000, Number.MAX_SAFE_INTEGER)
)

const models = ["acme/a", "acme/b", "acme/\uffee", "acme/\u{1f600}", "acme/hidden", "acme/unknown"]

const catalogOf = (shown: boolean): readonly CatalogModel[] =>
  models.slice(0, 5).map((id) => catalogModel(id, { public: shown && id !== "acme/hidden" }))

const tag = fc.constantFrom(
  "code:general_impl",
  "code:b",
  "data:x",
  "agent:web_search",
  "general:chat",
  "other",
  "code:",
  "code:Upper",
  "xcode:b",
  "code:b\n",
  `general:${"y".repeat(65)}`
)

const classifiers = fc.oneof(
  fc.constant(null),
  tag.map((name) => ({ task: { tag: name } })),
  tag.map((name) => ({ task: { other: name }, else: { tag: name } }))
)

const event = usageEventArbitrary({
  created_at: instant,
  recorded_at: fc.integer({ min: 0, max: 5_000_000 }).map((back) => new Date(now - back).toISOString()),
  model: fc.constantFrom(...models),
  variant: fc.constantFrom("", "", "", "free"),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  cost_nanos: fc.constantFrom(0n, 1n, 7n, 1_000_000_000n, 4_000_000_001n),
  byok_cost_nanos: fc.constantFrom(0n, 0n, 3n),
  origin: fc.option(fc.constantFrom(...origins), { freq: 8 }),
  app: fc.constantFrom(null, "A", "B", "\uffee", "\u{1f600}", ""),
  app_categories: fc.option(fc.subarray(["cli-agent", "game", "unheard-of", "q'\\{,}\""]), { freq: 2 }),
  session_id: fc.constantFrom(null, ...Array.from({ length: 8 }, (_, index) => `session ${index}`)),
  classifiers,
  sample_weight: fc.constantFrom(1, 1, 0.1, 0.25, 2.5, 10.4999999999, 1e-9, 3e21),
  self_reported: fc.constantFrom(false, false, false, true),
  endpoint_tag: endpointTags
})

/** Sessions of one app, model and week, so that some cells are shown and others are one session too small. */
const crowd = fc
  .record({
    first: event,
    sessions: fc.constantFrom(3, 4, 5, 6),
    turns: fc.constantFrom(1, 2, 9, 10, 51),
    created_at: fc.constantFrom("2025-01-06T00:00:00.000Z", "2026-01-05T12:00:00.000Z", "2026-01-11T23:59:59.999Z"),
    model: fc.constantFrom("acme/a", "acme/b")
  })
  .map(({ first, sessions, turns, created_at, model }) =>
    Array.from({ length: sessions * turns }, (_, index) => ({
      ...first,
      created_at,
      model,
      id: crypto.randomUUID(),
      origin: "https://app.example.com",
      session_id: `crowd ${first.id} ${index % sessions}`,
      cost_nanos: BigInt(index),
      self_reported: false,
      endpoint_tag: null
    }))
  )

const page = { limit: fc.constantFrom(1, 3, 100), offset: fc.constantFrom(0, 0, 1, 5) }

const apps: fc.Arbitrary<AppRankingsRequest> = fc
  .record({
    ...page,
    window: fc.tuple(day, day),
    sort: fc.constantFrom("popular" as const, "trending" as const),
    categories: fc.option(fc.subarray(["cli-agent" as const, "game" as const], { minLength: 1 }), { nil: undefined })
  })
  .map(({ window, ...rest }) => {
    const [first, last] = window[0] <= window[1] ? window : [window[1], window[0]]
    return {
      ...rest,
      first: first < "2025-01-01" ? "2025-01-01" : first,
      last: last < "2025-01-01" ? "2025-01-01" : last
    }
  })

const sessions: fc.Arbitrary<SessionCostRequest> = fc.record(
  {
    ...page,
    monday: fc.constantFrom("2024-12-30", "2025-01-06", "2026-01-05", "2026-01-12"),
    app_slug: fc.constantFrom("app.example.com", "b.example", "nothing"),
    model: fc.constantFrom("acme/a", "acme/b:free"),
    turn_range: fc.constantFrom("1-turn" as const, "2-9-turns" as const, "50-plus-turns" as const)
  },
  { requiredKeys: ["limit", "offset", "monday"] }
)

/** What a run does, in turn: the catalog changes, events are recorded, and questions are asked. */
const step = fc.oneof(
  { weight: 1, arbitrary: fc.boolean().map((shown) => ({ kind: "list", models: catalogOf(shown) }) as const) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.oneof(fc.array(event, { maxLength: 60 }), crowd),
        fc.constantFrom([0], [0], [1], [2], [1, 2, 3, 4], [0, 1, 2, 3, 4])
      )
      .map(([events, accounts]) => ({ kind: "record", events, by: accounts }) as const)
  },
  { weight: 3, arbitrary: apps.map((asked) => ({ kind: "apps", asked }) as const) },
  { weight: 1, arbitrary: fc.tuple(day, day).map((window) => ({ kind: "tasks", window }) as const) },
  { weight: 2, arbitrary: sessions.map((asked) => ({ kind: "sessions", asked }) as const) }
)

const places = 24

/** In units of 10^-24, as the oracle has it. */
const exact = ({ requests, tokens }: SampledSums) => {
  const scaled = ({ digits, scale }: SampledSums["requests"]) => {
    assert.isAtMost(scale, places)
    return digits * 10n ** BigInt(places - scale)
  }
  return { requests: scaled(requests), tokens: scaled(tokens) }
}

/** Registers the property for a store. The datasets are of the whole installation, so each run goes on where the last one ended. */
export const datasetsAgreement = (
  name: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  options: { readonly runs?: number } = {}
): void => {
  describe(`datasets on ${name}`, () => {
    const run = storeUnderTest(makeStore, now)
    const accounts = Array.from({ length: 5 }, () => crypto.randomUUID())
    const catalog = new Map<string, Listed>()
    const recorded: Recorded[] = []
    const numbers = new Map<string, number>()
    const numberOf = (host: string): number => {
      const known = numbers.get(host) ?? numbers.size + 1
      numbers.set(host, known)
      return known
    }

    beforeAll(() => run(Effect.asVoid(ensureDefaultAccount())))

    it("are what the oracle says", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
          for (const step of steps) {
            switch (step.kind) {
              case "list": {
                const listed_at = new Date(now - recorded.length).toISOString()
                await run(Effect.flatMap(ModelCatalog, (port) => port.upsert(step.models, listed_at)))
                for (const model of step.models) {
                  const known = catalog.get(model.id)
                  const same = known?.model.public === model.public
                  catalog.set(model.id, { model, listed_at: same ? known.listed_at : listed_at })
                }
                break
              }
              case "record": {
                for (const index of step.by) {
                  const account_id = accounts[index] ?? ""
                  const events = step.events.map((one) => ({
                    ...one,
                    cost_nanos: one.cost_nanos + BigInt(index * index)
                  }))
                  await run(Effect.flatMap(UsageLog, (port) => port.record(account_id, Stream.succeed(events))))
                  const known = new Set(recorded.map(({ id, account_id }) => `${id} ${account_id}`))
                  for (const event of events)
                    if (!known.has(`${event.id} ${account_id}`)) {
                      known.add(`${event.id} ${account_id}`)
                      recorded.push({ ...event, account_id })
                    }
                }
                break
              }
              case "apps": {
                const answered = await run(Effect.flatMap(DatasetsReader, (port) => port.apps(step.asked)))
                assert.deepEqual(answered, expectedApps(step.asked, recorded, numberOf))
                break
              }
              case "tasks": {
                const [one, other] = step.window
                const asked = one <= other ? { first: one, last: other } : { first: other, last: one }
                const answered = await run(Effect.flatMap(DatasetsReader, (port) => port.tasks(asked)))
                assert.deepEqual(
                  answered.map((task) => ({
                    ...task,
                    ...exact(task),
                    models: task.models.map((model) => ({ ...model, ...exact(model) }))
                  })),
                  expectedTasks(asked, recorded, [...catalog.values()])
                )
                break
              }
              case "sessions": {
                const answered = await run(Effect.flatMap(DatasetsReader, (port) => port.sessions(step.asked)))
                assert.deepEqual(answered, expectedSessions(step.asked, recorded, [...catalog.values()]))
              }
            }
          }
        }),
        { numRuns: options.runs ?? 100 }
      )
    })
  })
}
