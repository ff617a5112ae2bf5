/**
 * What a query must answer, computed from the words of the rules in the plainest way: event by event, with fractions of big
 * integers, knowing nothing of plans, tables and SQL.
 *
 * Rule: analytics#metrics.
 */
import type { AnalyticsFilter, AnalyticsQuery, SentUsageEvent } from "@gatewarden/contract/internal"

type Value = string | number | null
type Row = Record<string, Value>

export interface Expected {
  readonly rows: readonly Row[]
  readonly truncated: boolean
}

const codePointsOf = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)

const compareTexts = (a: string, b: string): number => {
  const [left, right] = [codePointsOf(a), codePointsOf(b)]
  const at = left.findIndex((point, index) => point !== right[index])
  return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1)
}

/** A number as a fraction with a denominator of 10^400, which every number in a test divides. */
const unit = 10n ** 400n
const fractionOf = (value: string | number): bigint => {
  const [mantissa = "", exponent = "0"] = String(value).toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".")
  const scaled = BigInt(whole + fraction) * unit
  const power = Number(exponent) - fraction.length
  const magnitude = power < 0 ? scaled / 10n ** BigInt(-power) : scaled * 10n ** BigInt(power)
  return mantissa.startsWith("-") ? -magnitude : magnitude
}
const zero = 0n
const amount = (value: string | number | null | undefined): bigint => (value == null ? zero : fractionOf(value))
const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, zero)

const asMoney = (fraction: bigint): Value => {
  const nanos = (fraction * 1_000_000_000n) / unit
  const text = `${nanos / 1_000_000_000n}.${String(nanos % 1_000_000_000n).padStart(9, "0")}`.replace(/\.?0+$/, "")
  return nanos <= 9_007_199n * 1_000_000_000n ? Number(text) : text
}
const asCount = (fraction: bigint): Value => {
  const count = fraction / unit
  return count <= 9_007_199_254_740_991n ? Number(count) : String(count)
}

const bucketStart = (granularity: string, iso: string): string => {
  const date = new Date(iso)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const start = {
    minute: () => Date.UTC(year, month, day, date.getUTCHours(), date.getUTCMinutes()),
    hour: () => Date.UTC(year, month, day, date.getUTCHours()),
    day: () => Date.UTC(year, month, day),
    week: () => Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7)),
    month: () => Date.UTC(year, month, 1)
  }[granularity]
  if (start === undefined) throw new Error(granularity)
  return new Date(start()).toISOString()
}

const contextBucket = (tokens: number): string =>
  tokens <= 1e3 ? "1K" : tokens <= 1e4 ? "10K" : tokens <= 1e5 ? "100K" : tokens <= 1e6 ? "1M" : "10M"

export interface OracleFacts {
  readonly default_workspace_id: string
  /** Epoch milliseconds. */
  readonly now: number
}

const dimensionOf = (event: SentUsageEvent, dimension: string, facts: OracleFacts): string | null => {
  const [model = "", variant = ""] = event.model.split(":")
  const values: Record<string, string | null | undefined> = {
    model,
    variant,
    api_key_id: event.api_key_hash,
    user: event.user_id,
    workspace: event.workspace_id ?? facts.default_workspace_id,
    app: event.app,
    generation_id: event.id,
    provider: event.provider,
    origin: event.origin,
    country: event.country,
    finish_reason: event.finish_reason,
    external_user: event.external_user,
    context_length_bucket: contextBucket(event.prompt_tokens),
    endpoint: event.endpoint_tag,
    status: event.status ?? "ok",
    session_id: event.session_id,
    guardrail: event.guardrail_id
  }
  return values[dimension] ?? null
}

const percentile = (rank: number, values: readonly number[]): number | null => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted.find((_, index) => (index + 1) * 100 >= rank * sorted.length) ?? null
}
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
const ratio = (part: bigint, whole: bigint): number | null =>
  whole === zero ? null : Number(part / unit) / Number(whole / unit)

/** A metric, twice: exactly, for comparing, and as it is shown. */
const metricOf = (name: string, events: readonly SentUsageEvent[]): { exact: bigint | null; shown: Value } => {
  const total = (part: (event: SentUsageEvent) => bigint) => sumOf(events.map(part))
  const counted = (flag: (event: SentUsageEvent) => boolean | null | undefined) =>
    total((event) => (flag(event) ? unit : zero))
  const credits = total((event) => amount(event.cost_usd))
  const byok = total((event) => amount(event.byok_cost_usd))
  const ok = events.filter((event) => (event.status ?? "ok") === "ok")
  const latencies = ok.flatMap((event) => event.latency_ms ?? [])
  const throughputs = ok.flatMap((event) =>
    event.generation_ms == null || event.generation_ms === 0
      ? []
      : (event.completion_tokens * 1000) / event.generation_ms
  )
  const count = (exact: bigint) => ({ exact, shown: asCount(exact) })
  const money = (exact: bigint) => ({ exact, shown: asMoney(exact) })
  const number = (shown: number | null) => ({ exact: shown === null ? null : fractionOf(shown), shown })
  switch (name) {
    case "request_count":
      return count(BigInt(events.length) * unit)
    case "tokens_total":
      return count(total((event) => amount(event.prompt_tokens) + amount(event.completion_tokens)))
    case "tokens_prompt":
      return count(total((event) => amount(event.prompt_tokens)))
    case "tokens_completion":
      return count(total((event) => amount(event.completion_tokens)))
    case "reasoning_tokens":
      return count(total((event) => amount(event.reasoning_tokens)))
    case "cached_tokens":
      return count(total((event) => amount(event.cached_tokens)))
    case "cache_write_tokens":
      return count(total((event) => amount(event.cache_write_tokens)))
    case "byok_request_count":
      return count(counted((event) => event.byok))
    case "guardrail_invoked_count":
      return count(counted((event) => event.guardrail_invoked))
    case "response_cached_count":
      return count(counted((event) => event.response_cached))
    case "total_usage":
      return money(credits + byok)
    case "byok_usage":
      return money(byok)
    case "credits_usage":
    case "platform_usage":
    case "openrouter_usage":
      return money(credits)
    case "avg_latency":
      return number(mean(latencies))
    case "p50_latency":
      return number(percentile(50, latencies))
    case "p90_latency":
      return number(percentile(90, latencies))
    case "p99_latency":
      return number(percentile(99, latencies))
    case "avg_throughput":
      return number(mean(throughputs))
    case "p50_throughput":
      return number(percentile(50, throughputs))
    case "p90_throughput":
      return number(percentile(90, throughputs))
    case "p99_throughput":
      return number(percentile(99, throughputs))
    case "cache_hit_rate":
      return number(
        ratio(
          total((event) => amount(event.cached_tokens)),
          total((event) => amount(event.prompt_tokens))
        )
      )
    case "guardrail_invoked_rate":
      return number(
        ratio(
          counted((event) => event.guardrail_invoked),
          BigInt(events.length) * unit
        )
      )
    case "response_cached_rate":
      return number(
        ratio(
          counted((event) => event.response_cached),
          BigInt(events.length) * unit
        )
      )
    default: {
      const parts = events.flatMap(
        (event) => (event.cost_components as Record<string, string | number | null>)?.[name] ?? []
      )
      return parts.length === 0 ? { exact: null, shown: null } : money(sumOf(parts.map(amount)))
    }
  }
}

const operators: Record<string, (compare: (other: string | number) => number, value: unknown) => boolean> = {
  eq: (compare, value) => compare(value as string) === 0,
  neq: (compare, value) => compare(value as string) !== 0,
  gt: (compare, value) => compare(value as string) > 0,
  gte: (compare, value) => compare(value as string) >= 0,
  lt: (compare, value) => compare(value as string) < 0,
  lte: (compare, value) => compare(value as string) <= 0,
  in: (compare, value) => (value as string[]).some((other) => compare(other) === 0),
  not_in: (compare, value) => !(value as string[]).some((other) => compare(other) === 0)
}
const holds = (operator: string, value: unknown, compare: (other: string | number) => number): boolean =>
  operators[operator]?.(compare, value) ?? false

const listOf = <T>(sent: T | readonly T[] | null | undefined): readonly T[] =>
  sent == null ? [] : Array.isArray(sent) ? (sent as readonly T[]) : [sent as T]

type Tags = readonly (readonly [string, string])[]

export const expectedAnswer = (
  query: AnalyticsQuery,
  recorded: readonly SentUsageEvent[],
  facts: OracleFacts
): Expected | "unknown_classifier" => {
  const clfDimensions = listOf(query.classifier_dimensions)
  const clfFilters = listOf(query.classifier_filters)
  const classifier = [...clfDimensions, ...clfFilters][0]?.classifier_id
  const classified = (event: SentUsageEvent) =>
    Object.entries(event.classifiers ?? {}).find(([id]) => id === classifier)
  if (classifier !== undefined && !recorded.some(classified)) return "unknown_classifier"
  const tagsOf = (event: SentUsageEvent): Tags =>
    Object.entries(classified(event)?.[1] ?? {}).map(([name, tag]) => [name, String(tag)])
  const tagOf = (event: SentUsageEvent, name: string) => tagsOf(event).find(([key]) => key === name)?.[1] ?? null

  const start = query.time_range == null ? facts.now - 7 * 86_400_000 : Date.parse(query.time_range.start)
  const end = query.time_range == null ? facts.now + 5 * 60_000 : Date.parse(query.time_range.end)
  const filters: readonly AnalyticsFilter[] = Array.isArray(query.filters)
    ? query.filters
    : Object.entries(query.filters ?? {}).map(([field, value]) => ({ field, operator: "eq", value }))
  const dimensions = [...new Set(query.dimensions ?? [])]
  const dimensionNames = [
    "model",
    "variant",
    "api_key_id",
    "user",
    "workspace",
    "app",
    "generation_id",
    "provider",
    "origin",
    "country",
    "finish_reason",
    "external_user",
    "context_length_bucket",
    "endpoint",
    "status",
    "session_id",
    "guardrail"
  ]

  const events = recorded.filter((event) => {
    const at = Date.parse(event.created_at)
    if (at < start || at >= end) return false
    for (const { field, operator, value, include_unset } of filters) {
      if (!dimensionNames.includes(field)) continue
      const own = dimensionOf(event, field, facts)
      if (own === null ? include_unset !== true : !holds(operator, value, (other) => compareTexts(own, String(other))))
        return false
    }
    for (const { field, operator, value } of clfFilters.flatMap((item) => item.filters)) {
      const own = tagOf(event, field)
      if (own === null || !holds(operator, value, (other) => compareTexts(own, String(other)))) return false
    }
    return true
  })

  const clfNames = [...new Set(clfDimensions.flatMap((item) => item.dimension_names ?? []))]
  const wantsNulls = (name?: string) =>
    clfDimensions.some(
      (item) => item.include_nulls === true && (name === undefined || item.dimension_names?.includes(name))
    )
  const keyNames = [
    ...dimensions,
    ...(clfDimensions.length === 0
      ? []
      : clfNames.length > 0
        ? clfNames
        : ["clf_dimension_name", "clf_dimension_value"])
  ]
  const time = query.granularity == null ? undefined : `date__${query.granularity}`

  const cells = new Map<string, { time: string | null; keys: (string | null)[]; events: SentUsageEvent[] }>()
  const put = (bucket: string | null, keys: (string | null)[], ...more: SentUsageEvent[]) => {
    const id = JSON.stringify([bucket, keys])
    cells.set(id, { time: bucket, keys, events: [...(cells.get(id)?.events ?? []), ...more] })
  }
  if (time === undefined && keyNames.length === 0) put(null, [])
  for (const event of events) {
    const bucket = query.granularity == null ? null : bucketStart(query.granularity, event.created_at)
    const own = dimensions.map((dimension) => dimensionOf(event, dimension, facts))
    if (clfDimensions.length === 0) put(bucket, own, event)
    else if (clfNames.length > 0) {
      const tags = clfNames.map((name) => tagOf(event, name))
      if (tags.every((tag, index) => tag !== null || wantsNulls(clfNames[index]))) put(bucket, [...own, ...tags], event)
    } else {
      const tags = tagsOf(event)
      for (const [name, tag] of tags) put(bucket, [...own, name, tag], event)
      if (tags.length === 0 && wantsNulls()) put(bucket, [...own, null, null], event)
    }
  }

  const metrics = [...new Set(query.metrics)]
  const kept = [...cells.values()].filter((cell) =>
    filters.every(({ field, operator, value }) => {
      if (dimensionNames.includes(field)) return true
      const { exact } = metricOf(field, cell.events)
      return (
        exact !== null &&
        holds(operator, value, (other) => {
          const sent = fractionOf(other)
          return exact < sent ? -1 : exact > sent ? 1 : 0
        })
      )
    })
  )

  type Cell = (typeof kept)[number]
  const ordering = (value: (cell: Cell) => string | bigint | null, descending: boolean) => (a: Cell, b: Cell) => {
    const [left, right] = [value(a), value(b)]
    if (left === right) return 0
    if (left === null) return 1
    if (right === null) return -1
    const order =
      typeof left === "string"
        ? compareTexts(left, String(right))
        : left < (right as bigint)
          ? -1
          : left > (right as bigint)
            ? 1
            : 0
    return descending ? -order : order
  }
  const byField = (field: string, descending: boolean) => {
    if (field === "date") return ordering((cell) => cell.time, descending)
    const key = keyNames.indexOf(field)
    return key === -1
      ? ordering((cell) => metricOf(field, cell.events).exact, descending)
      : ordering((cell) => cell.keys[key] ?? null, descending)
  }
  const orderings = [
    ...(query.order_by == null ? [] : [byField(query.order_by.field, query.order_by.direction === "desc")]),
    ordering((cell) => cell.time, true),
    byField(metrics[0] ?? "", true),
    ...keyNames.map((_, index) => ordering((cell) => cell.keys[index] ?? null, false))
  ]
  kept.sort((a, b) => orderings.map((compare) => compare(a, b)).find((order) => order !== 0) ?? 0)

  const isSeries = time !== undefined && keyNames.length > 0
  const groupLimit = keyNames.length > 0 ? (query.group_limit ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
  const within = kept.filter((cell, index) => {
    const before = kept.slice(0, index).filter(({ keys }) => JSON.stringify(keys) === JSON.stringify(cell.keys))
    return before.length < groupLimit
  })
  const shown = within.slice(0, query.limit ?? (isSeries ? 10_000 : 1000))
  const rows = shown.map((cell) =>
    Object.fromEntries([
      ...(time === undefined ? [] : [[time, cell.time] as const]),
      ...keyNames.map((name, index) => [name, cell.keys[index] ?? null] as const),
      ...metrics.map((name) => [name, metricOf(name, cell.events).shown] as const)
    ])
  )
  return { rows, truncated: shown.length < kept.length }
}
