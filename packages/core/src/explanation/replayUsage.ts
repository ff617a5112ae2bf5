/**
 * Applies the policies of its keys, or a proposed one, to every recorded request in turn.
 *
 * Rule: admissions#replays. Only metadata is recorded, so content filters and rate limits are not applied. The windows in which the range
 * begins start with what was recorded for them before. A replay of one key includes other keys that share a budget with it.
 */
import {
  type AdmissionReason,
  type CatalogModel,
  type CreateExplanation,
  Region,
  type ReplayReport,
  type ZdrGroup
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { foldModelName, joinVariant, modelNamesOf } from "../catalog/modelNames.ts"
import { credentialsOf } from "../decision/credentials.ts"
import { changedSource, explain, refuseChange } from "./explain.ts"
import { requestedModels } from "../decision/resolveRequest.ts"
import { requirePromptsForFilters } from "../guardrail/guardrail.ts"
import { budgetsOf, spenderOf } from "../ledger/budgetsOf.ts"
import { budgetObjections } from "../ledger/judgeBudgets.ts"
import { type Candidate, ZdrGroups, candidateOf, zdrGroupOf } from "../policy/Candidate.ts"
import { type CompiledSource, compiledSource, weighSource } from "../policy/DecisionCache.ts"
import type { Ingress } from "../policy/denial.ts"
import { objectionsTo, regionObjections, type SharedObjections } from "../policy/judgeCandidate.ts"
import { type CandidateSources, orderCandidates } from "../policy/orderCandidates.ts"
import { countedBy } from "../ledger/judgeHolds.ts"
import { type HistoryPlace, type RecordedUse, UsageHistory } from "../ports/usage.ts"
import { operation } from "../tracing/operation.ts"
import { inTime } from "../usage/analytics/AnalyticsSlots.ts"
import { formatInstant } from "../value/calendar.ts"
import { WorkingAccount, loopPauses } from "../value/inSlices.ts"
import { compareText } from "../value/text.ts"
import { invalid } from "../value/failure.ts"
import { formatUsd } from "../value/money.ts"
import { replayedSpending } from "./replayedSpending.ts"

const pageSize = 2_000

/** Of kinds of requests whose judgement a replay keeps: nearly all that an account sends are like others. */
const mostKinds = 10_000

/** Of compiled policies that a replay keeps: a proposed one may be long, and there may be thousands of keys. */
const mostSourceBytes = 32 * 2 ** 20

/** An endpoint that the catalog does not know is assumed to retain data and to train on it. */
const unknownEndpoint = (use: RecordedUse, zdrGroups: ReadonlyMap<string, ZdrGroup>): Candidate => {
  const name = joinVariant({ slug: use.model, variant: use.variant })
  return {
    model: name,
    model_name: name,
    model_names: modelNamesOf({ id: name, canonical_slug: name }),
    endpoint_tag: use.endpoint_tag ?? use.provider,
    provider: use.provider,
    provider_names: [
      foldModelName(use.provider),
      ...(use.endpoint_tag === null ? [] : [foldModelName(use.endpoint_tag)])
    ],
    data_regions: Region.options,
    follows_account: false,
    zdr_group: zdrGroupOf(zdrGroups, use.provider),
    retains: true,
    trains: true,
    publishes: true,
    distillable: false,
    free: use.cost_nanos === 0n && use.byok_cost_nanos === 0n,
    endpoint: {
      name,
      model_name: name,
      provider_name: use.provider,
      provider_slug: use.provider,
      tag: use.endpoint_tag ?? use.provider,
      context_length: 0,
      max_completion_tokens: null,
      max_prompt_tokens: null,
      pricing: { prompt: "0", completion: "0", request: "0", image: "0" },
      quantization: null,
      status: 0,
      supported_parameters: [],
      supports_implicit_caching: false,
      data_regions: [...Region.options],
      zero_data_retention: false,
      trains_on_data: true,
      publishes_prompts: true
    },
    source: use.byok ? "byok" : "shared",
    byok_id: null,
    label: null,
    claims: []
  }
}

const candidateOfUse = (
  use: RecordedUse,
  models: readonly CatalogModel[],
  zdrGroups: ReadonlyMap<string, ZdrGroup>
): Candidate => {
  for (const model of models) {
    const endpoint =
      model.endpoints.find(({ tag }) => tag === use.endpoint_tag) ??
      model.endpoints.find(({ provider_slug, provider_name }) => [provider_slug, provider_name].includes(use.provider))
    if (endpoint !== undefined)
      return { ...candidateOf(model, endpoint, zdrGroups), source: use.byok ? "byok" : "shared" }
  }
  return unknownEndpoint(use, zdrGroups)
}

/**
 * Those that a use may have been: with any credential that its key may use today, because nobody recorded with which it was. Without one, the
 * endpoint as it is.
 */
const candidatesOfUse = (
  use: RecordedUse,
  { models, credentials, zdrGroups }: CandidateSources,
  key: CompiledSource["key"]
): readonly Candidate[] => {
  const recorded = candidateOfUse(use, models, zdrGroups)
  if (credentials.length === 0) return [recorded]
  const asking = { api_key_hash: key.hash, user_id: key.user_id }
  const brought = orderCandidates({ models, credentials, zdrGroups }, asking, {}).filter(
    ({ source, endpoint }) => source === "byok" && endpoint === recorded.endpoint
  )
  return brought.length === 0 ? [recorded] : brought
}

interface Blocked {
  count: number
  nanos: bigint
}

/** Counts and sums by a key, in the order of what costs most. */
const makeTally = <K extends string>() => {
  const entries = new Map<K, Blocked>()
  return {
    add: (key: K, nanos: bigint): void => {
      const entry = entries.get(key) ?? { count: 0, nanos: 0n }
      entries.set(key, { count: entry.count + 1, nanos: entry.nanos + nanos })
    },
    all: (): readonly (readonly [K, Blocked])[] =>
      [...entries].sort(([a, x], [b, y]) => (x.nanos === y.nanos ? compareText(a, b) : x.nanos > y.nanos ? -1 : 1))
  }
}

/** Requests of one key are judged alike if they are alike in this: an endpoint that is not known is free if it cost nothing. */
const likenessOf = (hash: string, use: RecordedUse): string =>
  JSON.stringify([
    hash,
    use.model,
    use.variant,
    use.provider,
    use.endpoint_tag,
    use.byok,
    use.data_region,
    use.cost_nanos === 0n && use.byok_cost_nanos === 0n
  ])

const placeOfReason = ({ scope, guardrail_id, field }: AdmissionReason): string =>
  JSON.stringify([scope, guardrail_id, field])

type Replay = Omit<CreateExplanation, "api_key_hash" | "replay"> & {
  readonly api_key_hash?: string | undefined
  readonly replay: NonNullable<CreateExplanation["replay"]>
}

/** 400 for an empty range. */
const rangeOf = Effect.fnUntraced(function* ({ start, end }: Replay["replay"]) {
  const from = Date.parse(start)
  const to = Date.parse(end)
  if (!(from < to)) return yield* invalid("invalid_time_range", "replay.end", "Expected an end after the start")
  return { from, to }
})

const replayAll = operation("replayUsage")(function* (account_id: string, asked: Replay) {
  yield* refuseChange(asked.guardrail)
  const { from, to } = yield* rangeOf(asked.replay)
  const zdrGroups = yield* ZdrGroups
  const history = yield* UsageHistory
  const spending = replayedSpending(account_id, from)
  const keys = makeTally()
  const reasons = makeTally()
  const total = { events: 0, blocked: 0, nanos: 0n }

  /** What is against requests of a kind but for budgets: the places of the reasons. */
  const judged = new Map<string, readonly string[]>()
  const sources = new Map<string, Option.Option<CompiledSource>>()
  let sourceBytes = 0
  const sourceOf = Effect.fnUntraced(function* (hash: string) {
    const known = sources.get(hash)
    if (known !== undefined) return known
    const found = yield* compiledSource(account_id, hash)
    const source =
      Option.isSome(found) && asked.guardrail != null
        ? Option.some(yield* changedSource(found.value, asked.guardrail))
        : found
    const bytes = weighSource(source, hash)
    if (sourceBytes + bytes > mostSourceBytes) {
      sources.clear()
      judged.clear()
      sourceBytes = 0
    }
    sourceBytes += bytes
    sources.set(hash, source)
    return source
  })

  const replayed =
    asked.api_key_hash === undefined ? Option.none<CompiledSource>() : yield* sourceOf(asked.api_key_hash)
  // Usage is recorded under the hash of the key; the request may name a secret of it.
  const replayedHash = Option.isSome(replayed) ? replayed.value.key.hash : asked.api_key_hash

  /** Whether no other key spends from a budget of the replayed key. */
  const spendsAlone = (): boolean => {
    if (Option.isNone(replayed)) return true
    const { key, guardrails, workspace } = replayed.value
    return budgetsOf(key, guardrails, workspace).every((budget) => spenderOf(budget) === "key")
  }

  const placesAgainst = Effect.fnUntraced(function* ({ key, policy }: CompiledSource, use: RecordedUse) {
    const kind = likenessOf(key.hash, use)
    const known = judged.get(kind)
    if (known !== undefined) return known
    const models = yield* requestedModels(account_id, [joinVariant({ slug: use.model, variant: use.variant })])
    const credentials = use.byok ? yield* credentialsOf(account_id, key.workspace_id ?? "") : []
    const terms = { ingress_region: use.data_region ?? "global", provider: {} } as const
    const shared: SharedObjections = new Map()
    const toCandidates = candidatesOfUse(use, { models, credentials, zdrGroups }, key).map((candidate) =>
      objectionsTo(policy, terms, candidate, shared)
    )
    const objections = [
      ...regionObjections(policy, terms),
      ...(toCandidates.some((some) => some.length === 0) ? [] : (toCandidates[0] ?? []))
    ]
    const places = [...new Set(objections.map(({ reason }) => placeOfReason(reason)))]
    if (judged.size >= mostKinds) judged.clear()
    judged.set(kind, places)
    return places
  })

  const judge = Effect.fnUntraced(function* (use: RecordedUse) {
    const at = Date.parse(use.created_at)
    const isAsked = replayedHash === undefined || use.api_key_hash === replayedHash
    if (isAsked) total.events++
    if (use.status === "blocked") return
    const found =
      isAsked && use.api_key_hash !== null ? yield* sourceOf(use.api_key_hash) : Option.none<CompiledSource>()
    // Usage of a deleted key, or of another key than the replayed one, is not judged, but counts as spending.
    if (Option.isNone(found)) return spending.charge(use, at)
    const { key, guardrails, workspace } = found.value
    const charged = { ...use, user_id: key.user_id ?? use.user_id }
    const budgets = budgetsOf(key, guardrails, workspace)
    const overspent = (yield* spending.states(key.workspace_id ?? "", budgets, at)).flatMap((state) => {
      const nanos = countedBy(state.budget, { nanos: use.cost_nanos, byok_nanos: use.byok_cost_nanos })
      return budgetObjections([state], { nanos, byok: false })
    })
    const places = new Set([
      ...(yield* placesAgainst(found.value, use)),
      ...overspent.map(({ reason }) => placeOfReason(reason))
    ])
    if (places.size === 0) return spending.charge(charged, at)
    const nanos = use.cost_nanos + use.byok_cost_nanos
    total.blocked++
    total.nanos += nanos
    keys.add(key.hash, nanos)
    for (const place of places) reasons.add(place, nanos)
  })

  const range = {
    start: formatInstant(from),
    end: formatInstant(to),
    api_key_hash: spendsAlone() ? replayedHash : undefined
  }
  const pauses = yield* Effect.provideService(loopPauses, WorkingAccount, account_id)
  let place: HistoryPlace | undefined
  for (;;) {
    const page = yield* history.after(account_id, range, place, pageSize)
    for (const use of page) {
      yield* judge(use)
      if (pauses.isDue()) yield* pauses.pause
    }
    place = page.at(-1)
    if (page.length < pageSize) break
  }

  const report: ReplayReport = {
    events: total.events,
    blocked: total.blocked,
    blocked_usd: formatUsd(total.nanos),
    keys: keys
      .all()
      .map(([api_key_hash, { count, nanos }]) => ({ api_key_hash, blocked: count, blocked_usd: formatUsd(nanos) })),
    by_reason: reasons.all().map(([where, { count, nanos }]) => {
      const [scope, guardrail_id, field] = JSON.parse(where) as [AdmissionReason["scope"], string | null, string]
      return { scope, guardrail_id, field, blocked: count, blocked_usd: formatUsd(nanos) }
    }),
    start: formatInstant(from),
    end: formatInstant(to)
  }
  return report
})

/** A range may have any number of events, so that the replay as a whole has the time of one query. Rule: analytics#timeouts. */
export const replayUsage = (account_id: string, asked: Replay) => inTime(account_id, replayAll(account_id, asked))

/** Explains one request, or replays a range of recorded usage. Rule: guardrails#who-may-set-patterns. */
export const answerExplanation = Effect.fnUntraced(function* (
  caller: Caller,
  account_id: string,
  { replay, api_key_hash = "", ...asked }: CreateExplanation,
  ingress: Ingress
) {
  yield* requirePromptsForFilters(caller, asked.guardrail?.patch.content_filters, "guardrail.patch.")
  if (replay == null) return yield* explain(account_id, { ...asked, api_key_hash }, ingress)
  return yield* replayUsage(account_id, {
    ...asked,
    replay,
    ...(api_key_hash === "" ? {} : { api_key_hash })
  })
})
