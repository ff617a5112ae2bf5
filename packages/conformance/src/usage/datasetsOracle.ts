/**
 * What the datasets of apps, tasks and sessions are, worked out the long way from the rules (Rule: datasets#apps,
 * datasets#app-rankings, datasets#task-classifications, datasets#session-cost); shares no code with the core.
 */
import type {
  AppRankingsRequest,
  AppRanks,
  DayWindow,
  SessionCostCells,
  SessionCostRequest,
  UsageEvent
} from "@gatewarden/core/internal"
import { isPublicModel, type Listed } from "./rankingsOracle.ts"
import { isPublicEvent } from "./publicUsage.ts"

export interface Recorded extends UsageEvent {
  readonly account_id: string
}

const dayMillis = 86_400_000
const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMillis).toISOString().slice(0, 10)

const isIn = ({ created_at }: UsageEvent, first: string, last: string): boolean =>
  created_at >= `${first}T00:00:00.000Z` && created_at <= `${last}T23:59:59.999Z`

const hidden = ["local", "localhost", "internal", "intranet", "lan", "corp", "test", "invalid", "home.arpa"]

/** The host of an origin, by hand: letters, digits and hyphens between dots, the last label begins with a letter. */
export const appOf = (origin: string | null): string | undefined => {
  const [scheme, rest = ""] = (origin ?? "").split(/:\/\/(.*)/s)
  if (!/^https?$/i.test(scheme ?? "")) return undefined
  const [authority = ""] = rest.split(/[/?#]/)
  const [name = "", port, ...more] = authority.split(":")
  if (more.length > 0 || (port !== undefined && !/^[0-9]{1,5}$/.test(port))) return undefined
  const labelsOf = (host: string): readonly string[] | undefined => {
    const labels = host.split(".")
    const isLabel = (label: string) => label.length >= 1 && label.length <= 63 && !/[^0-9A-Za-z-]/.test(label)
    return labels.length >= 2 && labels.every(isLabel) && /^[A-Za-z]/.test(labels.at(-1) ?? "") ? labels : undefined
  }
  const bare = /^www\./i.test(name) ? labelsOf(name.slice(4)) : undefined
  const host = (bare ?? labelsOf(name))?.join(".").toLowerCase()
  return host === undefined || hidden.some((end) => host === end || host.endsWith(`.${end}`)) ? undefined : host
}

/** Characters, not halves of them. */
const before = (a: string, b: string): number => {
  const [x, y] = [[...a], [...b]].map((letters) => letters.map((letter) => letter.codePointAt(0) ?? 0))
  for (let index = 0; ; index++) {
    const [left, right] = [x?.[index], y?.[index]]
    if (left === undefined && right === undefined) return 0
    if (left !== right) return (left ?? -1) - (right ?? -1)
  }
}

const tokens = (events: readonly UsageEvent[]): bigint => {
  let sum = 0n
  for (const { prompt_tokens, completion_tokens } of events) sum += BigInt(prompt_tokens) + BigInt(completion_tokens)
  return sum
}

const nameOf = (host: string, events: readonly UsageEvent[]): string => {
  const named = events.filter(({ app }) => app !== null)
  const latest = named
    .map(({ created_at }) => created_at)
    .sort()
    .at(-1)
  const names = named.flatMap(({ created_at, app }) => (created_at === latest && app !== null ? [app] : []))
  return names.sort(before).at(-1) ?? host
}

const latestOf = (times: readonly string[]): string | null => [...times].sort().at(-1) ?? null

/** `numberOf` is asked in the order of the ranking. */
export const expectedApps = (
  { first, last, sort, categories, limit, offset }: AppRankingsRequest,
  recorded: readonly Recorded[],
  numberOf: (host: string) => number
): AppRanks => {
  const length = Math.round((Date.parse(last) - Date.parse(first)) / dayMillis) + 1
  const windows = Array.from({ length: sort === "popular" ? 1 : 4 }, (_, back) =>
    recorded.filter(
      (event) =>
        isPublicEvent(event) &&
        appOf(event.origin) !== undefined &&
        event.created_at >= "2025-01-01" &&
        isIn(event, shifted(first, -back * length), shifted(last, -back * length))
    )
  )
  const hosts = new Set(windows.flat().map(({ origin }) => appOf(origin) ?? ""))
  const own = (events: readonly Recorded[] | undefined, host: string) =>
    (events ?? []).filter(({ origin }) => appOf(origin) === host)
  const ranked: { host: string; excess: bigint }[] = []
  for (const host of hosts) {
    const [within = [], ...earlier] = windows.map((events) => own(events, host))
    if (categories !== undefined) {
      const named = within.flatMap(({ app_categories }) => app_categories ?? [])
      if (!categories.some((category) => named.includes(category))) continue
    }
    const excess = sort === "popular" ? tokens(within) : 3n * tokens(within) - tokens(earlier.flat())
    if (excess > 0n) ranked.push({ host, excess })
  }
  ranked.sort((a, b) => (a.excess === b.excess ? before(a.host, b.host) : a.excess > b.excess ? -1 : 1))
  const rows: AppRanks["rows"][number][] = []
  ranked.forEach(({ host }, index) => {
    if (index < offset || index >= offset + limit) return
    const within = own(windows[0], host)
    rows.push({
      app_id: numberOf(host),
      app_name: nameOf(host, within),
      rank: index + 1,
      total_requests: within.length,
      total_tokens: String(tokens(within))
    })
  })
  return { rows, changed_at: latestOf(windows.flat().map(({ recorded_at }) => recorded_at)) }
}

/** Whole numbers of 10^-24: the sum of weights, each times `count`. */
const weighted = (events: readonly UsageEvent[], count: (event: UsageEvent) => bigint): bigint => {
  let sum = 0n
  for (const event of events) {
    const weight = event.sample_weight
    const plain = weight >= 1e21 ? BigInt(weight).toString() : weight.toFixed(12).replace(/0+$/, "")
    const [whole = "", decimals = ""] = plain.split(".")
    sum += count(event) * BigInt(whole + decimals.padEnd(24, "0"))
  }
  return sum
}

/** Sums in units of 10^-24. */
export interface ExpectedTask {
  readonly tag: string
  readonly requests: bigint
  readonly tokens: bigint
  readonly models: readonly { readonly model_permaslug: string; readonly requests: bigint; readonly tokens: bigint }[]
}

const permaslug = ({ model, variant }: UsageEvent) => (variant === "" ? model : `${model}:${variant}`)

const macros = ["code", "data", "agent", "general"]

const taskOf = ({ classifiers }: UsageEvent): string | undefined => {
  const tag = Object.entries(Object.fromEntries(Object.entries(classifiers ?? {}))["task"] ?? {}).find(
    ([name]) => name === "tag"
  )?.[1]
  const [macro = "", ...rest] = (tag ?? "").split(":")
  const name = rest.join(":")
  const isName = name.length >= 1 && name.length <= 64 && [...name].every((letter) => /^[a-z0-9_]$/.test(letter))
  return macros.includes(macro) && isName ? tag : undefined
}

export const expectedTasks = (
  { first, last }: DayWindow,
  recorded: readonly Recorded[],
  catalog: readonly Listed[]
): readonly ExpectedTask[] => {
  const counted = recorded.filter(
    (event) => isPublicEvent(event) && isIn(event, first, last) && taskOf(event) !== undefined
  )
  const sums = (events: readonly UsageEvent[]) => ({
    requests: weighted(events, () => 1n),
    tokens: weighted(events, (event) => tokens([event]))
  })
  const byRequests = (a: { requests: bigint; name: string }, b: { requests: bigint; name: string }) =>
    a.requests === b.requests ? before(a.name, b.name) : a.requests > b.requests ? -1 : 1
  return [...new Set(counted.map(taskOf))]
    .map((name = "") => ({ name, ...sums(counted.filter((event) => taskOf(event) === name)) }))
    .sort(byRequests)
    .slice(0, 100)
    .map(({ name: tag, ...own }) => {
      const ofTask = counted.filter((event) => taskOf(event) === tag && isPublicModel(event, catalog))
      const models = [...new Set(ofTask.map(permaslug))]
        .map((name) => ({ name, ...sums(ofTask.filter((event) => permaslug(event) === name)) }))
        .sort(byRequests)
        .slice(0, 10)
        .map(({ name: model_permaslug, ...rest }) => ({ model_permaslug, ...rest }))
      return { tag, ...own, models }
    })
}

const rangeOf = (turns: number): SessionCostCells["rows"][number]["turn_range"] => {
  if (turns === 1) return "1-turn"
  if (turns < 10) return "2-9-turns"
  return turns < 50 ? "10-49-turns" : "50-plus-turns"
}

/** The least cost that at least half of the costs do not exceed. */
const middle = (costs: readonly bigint[]): bigint =>
  costs
    .filter((cost) => 2 * costs.filter((other) => other <= cost).length >= costs.length)
    .reduce((least, cost) => (cost < least ? cost : least))

export const expectedSessions = (
  { monday, app_slug, model, turn_range, limit, offset }: SessionCostRequest,
  recorded: readonly Recorded[],
  catalog: readonly Listed[]
): SessionCostCells => {
  const counted = recorded.filter(
    (event) =>
      isPublicEvent(event) &&
      event.session_id !== null &&
      appOf(event.origin) !== undefined &&
      isIn(event, monday, shifted(monday, 6))
  )
  const sessions = new Map<string, Recorded[]>()
  for (const event of counted) {
    if (!isPublicModel(event, catalog)) continue
    const key = JSON.stringify([appOf(event.origin), permaslug(event), event.account_id, event.session_id])
    sessions.set(key, [...(sessions.get(key) ?? []), event])
  }
  const cells = new Map<string, { costs: Map<string, bigint[]>; times: string[] }>()
  for (const [key, turns] of sessions) {
    const [app, name, account = ""] = JSON.parse(key) as readonly string[]
    const place = JSON.stringify([app, name, rangeOf(turns.length)])
    const cell = cells.get(place) ?? { costs: new Map<string, bigint[]>(), times: [] }
    cells.set(place, cell)
    let cost = 0n
    for (const { cost_nanos, byok_cost_nanos } of turns) cost += cost_nanos + byok_cost_nanos
    cell.costs.set(account, [...(cell.costs.get(account) ?? []), cost])
    cell.times.push(...turns.map(({ recorded_at }) => recorded_at))
  }
  const ranges = ["1-turn", "2-9-turns", "10-49-turns", "50-plus-turns"]
  // Five sessions of one account, or five accounts.
  const published = [...cells].filter(
    ([, { costs }]) => costs.size >= 5 || (costs.size === 1 && [...costs.values()].flat().length >= 5)
  )
  const rows = published
    .map(([place, { costs }]) => {
      const [slug = "", model_permaslug = "", range = ""] = JSON.parse(place) as readonly string[]
      return {
        app_slug: slug,
        app_name: nameOf(
          slug,
          counted.filter(({ origin }) => appOf(origin) === slug)
        ),
        model_permaslug,
        turn_range: range as SessionCostCells["rows"][number]["turn_range"],
        median_session_cost_usd: Number(middle([...costs.values()].map(middle))) / 1e9
      }
    })
    .filter((row) => app_slug === undefined || row.app_slug === app_slug)
    .filter((row) => model === undefined || row.model_permaslug === model)
    .filter((row) => turn_range === undefined || row.turn_range === turn_range)
    .sort(
      (a, b) =>
        before(a.app_slug, b.app_slug) ||
        before(a.model_permaslug, b.model_permaslug) ||
        ranges.indexOf(a.turn_range) - ranges.indexOf(b.turn_range)
    )
  return {
    rows: rows.slice(offset, offset + limit),
    isPublished: published.length > 0,
    changed_at: latestOf([...published.flatMap(([, { times }]) => times), ...catalog.map(({ listed_at }) => listed_at)])
  }
}
