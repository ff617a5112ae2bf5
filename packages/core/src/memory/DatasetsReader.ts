import type { RankedApp } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { defaultAccountName } from "../ports/accounts.ts"
import { joinVariant } from "../catalog/modelNames.ts"
import { type AppRankingsRequest, DatasetsReader, type SampledSums, type TaskSums } from "../ports/analytics.ts"
import {
  firstCountedDay,
  isTask,
  leastAccounts,
  leastSessions,
  mostDailyApps,
  mostDailyTasks,
  mostSessionCells,
  mostTaskModels,
  mostTasks,
  taskClassifier,
  turnRanges,
  windowsBefore
} from "../usage/datasets/datasetRules.ts"
import { originOfApp, publicAppOf } from "../usage/datasets/datasets.ts"
import { addDays } from "../usage/rankings/window.ts"
import { addSample, nothing } from "../usage/rankings/rankings.ts"
import { isPublicUsage } from "../usage/recordUsageEvents.ts"
import type { UsageEvent } from "../ports/usage.ts"
import { compareText } from "../value/text.ts"
import { type Decimal, usdNumber } from "../value/money.ts"
import { publicModels } from "./tables/publicModels.ts"
import { type Tables, appNumber } from "./tables/Tables.ts"

type Reported = UsageEvent & { readonly account_id: string }

/** What public datasets count in a window, of all accounts. */
function* reported({ usageEvents }: Tables, first: string, last: string): Generator<Reported> {
  for (const [account_id, events] of usageEvents)
    for (const event of events.values()) {
      const day = event.created_at.slice(0, 10)
      if (isPublicUsage(event) && day >= first && day <= last) yield { ...event, account_id }
    }
}

const grouped = <T>(items: Iterable<T>, keyOf: (item: T) => string | undefined): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

const latestOf = (times: readonly string[]): string | null =>
  times.reduce<string | null>((latest, time) => (latest === null || time > latest ? time : latest), null)

/** The name that the app gave itself last; of several in one instant the last by code point. Without one its host. */
const nameOf = (host: string, events: readonly UsageEvent[]): string =>
  events.reduce<readonly [at: string, name: string]>(
    ([at, name], { created_at, app }) =>
      app !== null && (created_at > at || (created_at === at && compareText(app, name) > 0))
        ? [created_at, app]
        : [at, name],
    ["", host]
  )[1]

const tokensOf = (events: readonly UsageEvent[]): bigint =>
  events.reduce((sum, event) => sum + BigInt(event.prompt_tokens) + BigInt(event.completion_tokens), 0n)

/** What apps are ranked by, times three for `trending`, which compares with an average of three windows. */
const weightOf = (sort: AppRankingsRequest["sort"], within: bigint, before: bigint): bigint =>
  sort === "popular" ? within : BigInt(windowsBefore) * within - before

const byWeight = (a: { weight: bigint; name: string }, b: { weight: bigint; name: string }): number =>
  a.weight === b.weight ? compareText(a.name, b.name) : a.weight > b.weight ? -1 : 1

const requestsOf = (events: readonly UsageEvent[]): readonly UsageEvent[] =>
  events.filter(({ adjusts }) => adjusts === null)

const sampled = (events: readonly UsageEvent[]): SampledSums => ({
  requests: requestsOf(events).reduce((sum, { sample_weight }) => addSample(sum, 1n, sample_weight), nothing),
  tokens: events.reduce((sum, event) => addSample(sum, tokensOf([event]), event.sample_weight), nothing)
})

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
const compareDecimals = (a: Decimal, b: Decimal): number => {
  const [left, right] = [a.digits * 10n ** BigInt(b.scale), b.digits * 10n ** BigInt(a.scale)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** By nearest rank. */
const medianOf = (amounts: readonly bigint[]): bigint =>
  amounts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.ceil(amounts.length / 2) - 1] ?? 0n

const permaslugOf = ({ model, variant }: UsageEvent): string => joinVariant({ slug: model, variant })

const taskOf = ({ classifiers }: UsageEvent): string | undefined => {
  const { id, dimension } = taskClassifier
  const tags = classifiers !== null && Object.hasOwn(classifiers, id) ? classifiers[id] : undefined
  const tag = tags !== undefined && Object.hasOwn(tags, dimension) ? tags[dimension] : undefined
  return isTask(tag) ? tag : undefined
}

/** The events of each day, in groups of which the `most` by `compare` count. */
const mostOfDays = <E extends UsageEvent>(
  events: Iterable<E>,
  keyOf: (event: E) => string | undefined,
  most: number,
  first: (a: readonly [string, readonly E[]], b: readonly [string, readonly E[]]) => number
): readonly E[] =>
  [...grouped(events, ({ created_at }) => created_at.slice(0, 10)).values()].flatMap((own) => {
    const groups = [...grouped(own, keyOf)]
    return (groups.length > most ? groups.sort(first).slice(0, most) : groups).flatMap(([, counted]) => counted)
  })

const ofCountedApps = (events: Iterable<Reported>): readonly Reported[] =>
  mostOfDays(
    events,
    ({ origin }) => publicAppOf(origin),
    mostDailyApps,
    ([a, left], [b, right]) => byWeight({ name: a, weight: tokensOf(left) }, { name: b, weight: tokensOf(right) })
  )

/** U+0000 is in no name, and before all that is. */
const modelKey = ({ model, variant }: UsageEvent): string => `${model}\0${variant}`

const ofCountedTasks = (events: Iterable<Reported>): readonly Reported[] =>
  mostOfDays(
    events,
    (event) => {
      const task = taskOf(event)
      return task === undefined ? undefined : `${task}\0${modelKey(event)}`
    },
    mostDailyTasks,
    ([a, left], [b, right]) => compareDecimals(sampled(right).requests, sampled(left).requests) || compareText(a, b)
  )

interface SessionPlace {
  readonly sessions: number
  readonly app_slug: string
  readonly key: string
  readonly range: number
}

/** Which cells of a week count first. */
const bySessions = (a: SessionPlace, b: SessionPlace): number =>
  b.sessions - a.sessions || compareText(a.app_slug, b.app_slug) || compareText(a.key, b.key) || a.range - b.range

export const datasetsReader = (tables: Tables) => {
  const numbered = (host: string): number =>
    appNumber(tables, tables.accountIds.get(defaultAccountName) ?? "", originOfApp(host))

  const tasksOf = (first: string, last: string): readonly TaskSums[] => {
    const isPublic = publicModels(tables)
    const byRequests = (a: SampledSums & { readonly name: string }, b: SampledSums & { readonly name: string }) =>
      compareDecimals(b.requests, a.requests) || compareText(a.name, b.name)
    return [...grouped(ofCountedTasks(reported(tables, first, last)), taskOf)]
      .map(([name, events]) => ({ name, events, ...sampled(events) }))
      .sort(byRequests)
      .slice(0, mostTasks)
      .map(({ name: tag, events, ...sums }) => ({
        tag,
        ...sums,
        models: [...grouped(events, (event) => (isPublic(event.model, event.variant) ? permaslugOf(event) : undefined))]
          .map(([name, own]) => ({ name, ...sampled(own) }))
          .sort(byRequests)
          .slice(0, mostTaskModels)
          .map(({ name: model_permaslug, ...own }) => ({ model_permaslug, ...own }))
      }))
  }

  const sessionCells = (monday: string) => {
    const isPublic = publicModels(tables)
    const ofApps = grouped(
      [...reported(tables, monday, addDays(monday, 6))].filter(({ session_id }) => session_id !== null),
      ({ origin }) => publicAppOf(origin)
    )
    const cells = [...ofApps].flatMap(([app_slug, events]) => {
      const app_name = nameOf(app_slug, events)
      return [...grouped(events, modelKey)].flatMap(([key, own]) => {
        const sessions = [
          ...grouped(own, ({ account_id, session_id }) => JSON.stringify([account_id, session_id])).values()
        ].map((turns) => ({
          account_id: turns[0]?.account_id,
          nanos: turns.reduce((sum, { cost_nanos, byok_cost_nanos }) => sum + cost_nanos + byok_cost_nanos, 0n),
          turns: requestsOf(turns).length,
          recorded_at: latestOf(turns.map(({ recorded_at }) => recorded_at)) ?? ""
        }))
        return turnRanges.flatMap(([turn_range, least], range) => {
          const next = turnRanges[range + 1]?.[1] ?? Number.POSITIVE_INFINITY
          const shown = sessions.filter(({ turns }) => turns >= least && turns < next)
          const accounts = [...grouped(shown, ({ account_id }) => account_id).values()]
          if (accounts.length === 1 ? shown.length < leastSessions : accounts.length < leastAccounts) return []
          const median = medianOf(accounts.map((ofOne) => medianOf(ofOne.map(({ nanos }) => nanos))))
          return [
            {
              row: {
                app_slug,
                app_name,
                model_permaslug: own[0] === undefined ? "" : permaslugOf(own[0]),
                turn_range,
                median_session_cost_usd: usdNumber(median)
              },
              isShown: own[0] !== undefined && isPublic(own[0].model, own[0].variant),
              recorded_at: latestOf(shown.map(({ recorded_at }) => recorded_at)) ?? "",
              place: { sessions: shown.length, app_slug, key, range }
            }
          ]
        })
      })
    })
    // Models may become public later, so cells of any model count.
    const counted =
      cells.length > mostSessionCells
        ? cells.sort((a, b) => bySessions(a.place, b.place)).slice(0, mostSessionCells)
        : cells
    return counted.filter(({ isShown }) => isShown)
  }

  return DatasetsReader.of({
    apps: (request) =>
      Effect.sync(() => {
        const { first, last, sort, categories, limit, offset } = request
        const events = ofCountedApps(reported(tables, firstCountedDay(sort, request), last))
        const isWithin = ({ created_at }: UsageEvent) => created_at.slice(0, 10) >= first
        const ranked = [...grouped(events, ({ origin }) => publicAppOf(origin))]
          .flatMap(([name, own]) => {
            const within = own.filter(isWithin)
            const weight = weightOf(sort, tokensOf(within), tokensOf(own.filter((event) => !isWithin(event))))
            const isAsked =
              categories === undefined ||
              within.some(({ app_categories }) => categories.some((one) => app_categories?.includes(one)))
            return weight > 0n && isAsked ? [{ name, within, weight }] : []
          })
          .sort(byWeight)
          .slice(offset, offset + limit)
        return {
          rows: ranked.map(({ name, within }, index): RankedApp => ({
            app_id: numbered(name),
            app_name: nameOf(name, within),
            rank: offset + index + 1,
            total_requests: requestsOf(within).length,
            total_tokens: tokensOf(within).toString()
          })),
          changed_at: latestOf(events.map(({ recorded_at }) => recorded_at))
        }
      }),
    tasks: ({ first, last }) => Effect.sync(() => tasksOf(first, last)),
    sessions: ({ monday, app_slug, model, turn_range, limit, offset }) =>
      Effect.sync(() => {
        const rangeOf = new Map(turnRanges.map(([range], index) => [range, index]))
        const cells = sessionCells(monday)
        const rows = cells
          .map(({ row }) => row)
          .filter(
            (row) =>
              (app_slug === undefined || row.app_slug === app_slug) &&
              (model === undefined || row.model_permaslug === model) &&
              (turn_range === undefined || row.turn_range === turn_range)
          )
          .sort(
            (a, b) =>
              compareText(a.app_slug, b.app_slug) ||
              compareText(a.model_permaslug, b.model_permaslug) ||
              (rangeOf.get(a.turn_range) ?? 0) - (rangeOf.get(b.turn_range) ?? 0)
          )
        return {
          rows: rows.slice(offset, offset + limit),
          isPublished: cells.length > 0,
          changed_at: latestOf([
            ...cells.map(({ recorded_at }) => recorded_at),
            ...[...tables.models.of(null).values()].map(({ listed_at }) => listed_at)
          ])
        }
      })
  })
}
