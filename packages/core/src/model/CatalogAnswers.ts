/**
 * Answers that stand on the catalog, printed: a list of hundreds of models costs a request no more than sending it.
 *
 * A change of the installation's catalog forgets every answer, a change of an account's own models those of the account. What is measured in
 * an answer, and the age of a model, is up to a minute old (Rule: models#model-lists). Requests that come at once share one answer in the
 * making, and a process makes few at once (`CatalogSlots`).
 */
import type { Noun } from "@gatewarden/contract/internal"
import { Context, Effect } from "effect"
import { type FreshnessState, outsideTransactions } from "../cache/Freshness.ts"
import { type ValidatedCache, makeValidatedCache } from "../cache/ValidatedCache.ts"
import { Digest } from "../platform/Digest.ts"
import type { TokenTotal } from "../ports/analytics.ts"
import { PrintedAnswer } from "../value/PrintedAnswer.ts"
import { type Turns, makeTurns, makeWaitingTurns } from "../value/Turns.ts"
import { joiningBytes } from "../value/bytes.ts"
import { Unavailable } from "../value/failure.ts"
import { inSlices } from "../value/inSlices.ts"
import { type List, jsonBytes, listInSteps } from "../value/printed.ts"
import type { ModelMeasures } from "./modelSorts.ts"

/**
 * How many answers of the catalog a process makes at once. Making one reads every model that the account sees, which takes a multiple of the
 * answer's bytes, and those are counted only once they are made.
 *
 * Rule: requests#answers-in-flight. Accounts take turns, so one that asks for many different lists delays another by a few of them.
 *
 * Making is work of the processor, so more at once would not be faster.
 */
const madeAtOnce = 2
/** One account leaves a turn to others. */
const madeOfAccount = 1

/** Answers of one account that wait to be made, or are made. */
const waitingOfAccount = 256

/** 503 if too many answers of the account wait. */
export const makeCatalogSlots = () =>
  makeTurns({
    atOnce: madeAtOnce,
    ofAccount: madeOfAccount,
    waiting: waitingOfAccount,
    refusal: () => new Unavailable({ reason: "answers_in_flight", issues: [tooMany], retryAfterSeconds: 5 })
  })

const tooMany = {
  path: "",
  code: "too_many_answers",
  message: `Expected at most ${waitingOfAccount} answers of the catalog in the making for one account`
}

interface Answers {
  /** By account and what was asked. */
  readonly printed: ValidatedCache<PrintedAnswer<unknown>>
  /** What was measured of models, by account and id. */
  readonly measures: ValidatedCache<ModelMeasures>
  /** By account, what was asked, and what the answer to the key stands on. */
  readonly ofKeys: ValidatedCache<PrintedAnswer<unknown>>
  /** Tokens of recorded names by days, whatever list asks for them. */
  readonly totals: ValidatedCache<readonly TokenTotal[]>
  /** Rankings by what was asked, each with the edition that it is of. */
  readonly rankings: KeptEditions
  readonly slots: Turns<Unavailable>
  /** An account's own models are measured one after another: it chooses how many there are, and how many events they have. */
  readonly measuring: Turns<never>
}

interface KeptEditions {
  readonly get: (asked: string, edition: string) => PrintedAnswer<unknown> | undefined
  readonly keep: (asked: string, edition: string, answer: PrintedAnswer<unknown>) => void
}

/** Bytes of all rankings together: a hundred and more of them, most of which are asked for over and over. */
const rankingBytes = 8 * 1_048_576

/** Answers that were made of an edition, the last of each question. Those that nobody asked for longest go first. */
export const makeKeptEditions = (bytes: number): KeptEditions => {
  const kept = new Map<string, { readonly edition: string; readonly answer: PrintedAnswer<unknown> }>()
  let size = 0
  const weigh = (asked: string, answer: PrintedAnswer<unknown>) => answer.bytes.length + 2 * asked.length + entryBytes
  const drop = (asked: string): void => {
    const entry = kept.get(asked)
    if (entry === undefined) return
    kept.delete(asked)
    size -= weigh(asked, entry.answer)
  }
  return {
    get: (asked, edition) => {
      const entry = kept.get(asked)
      if (entry?.edition !== edition) return undefined
      kept.delete(asked)
      kept.set(asked, entry)
      return entry.answer
    },
    keep: (asked, edition, answer) => {
      drop(asked)
      const weight = weigh(asked, answer)
      if (weight > bytes / 2) return
      for (const oldest of kept.keys()) {
        if (size + weight <= bytes) break
        drop(oldest)
      }
      kept.set(asked, { edition, answer })
      size += weight
    }
  }
}

export class CatalogAnswers extends Context.Service<CatalogAnswers, Answers>()("gatewarden/CatalogAnswers") {}

/** Changes of what an account sees of the catalog. */
const ofCatalog: ReadonlySet<Noun> = new Set(["catalog", "private_endpoint", "private_provider"])

/** Bytes of all answers together, with what was asked, which may be longer than the answer. */
const capacity = 64 * 1_048_576

/** Models of all accounts together whose measures are kept. */
const mostMeasures = 10_000

/** What an entry takes beside both. */
const entryBytes = 1024

/** Of those that were measured in the last minute one or two are asked for. */
const mostTotals = 4

export const makeCatalogAnswers = (freshness: FreshnessState): Answers => {
  const weigh = ({ bytes }: PrintedAnswer<unknown>, asked: string) => bytes.length + 2 * asked.length + entryBytes
  const printed: Answers["printed"] = makeValidatedCache(freshness, capacity, weigh)
  const measures: Answers["measures"] = makeValidatedCache(freshness, mostMeasures)
  const ofKeys: Answers["ofKeys"] = makeValidatedCache(freshness, capacity, weigh)
  const totals: Answers["totals"] = makeValidatedCache(freshness, mostTotals)
  const onCatalog = [printed, measures, ofKeys]
  const clear = () => {
    for (const cache of onCatalog) cache.clear()
  }
  freshness.onChange((changes) => {
    if (changes === "everything") return clear()
    for (const { noun, account_id } of changes) {
      if (!ofCatalog.has(noun)) continue
      if (account_id === null) clear()
      else for (const cache of onCatalog) cache.forgetOwner(account_id)
    }
  })
  return {
    ...{ printed, measures, ofKeys, totals, rankings: makeKeptEditions(rankingBytes) },
    ...{ slots: makeCatalogSlots(), measuring: makeWaitingTurns(1) }
  }
}

const utf8 = new TextEncoder()

export const withTag = Effect.fnUntraced(function* <T>(bytes: Uint8Array, contentType?: string) {
  const hash = yield* (yield* Digest).sha256Hex(bytes)
  return new PrintedAnswer<T>(bytes, `"${hash}"`, contentType)
})

const printJson = Effect.fnUntraced(function* <T>(value: T) {
  return yield* withTag<T>(yield* inSlices(joiningBytes(yield* inSlices(jsonBytes(value)))))
})

/** The kept answer of an edition, else the printed value of `make`. `asked` names everything that the answer depends on beside the edition. */
export const editionAnswer = <T, E, R>(asked: string, edition: string | undefined, make: Effect.Effect<T, E, R>) =>
  Effect.gen(function* () {
    const { rankings } = yield* CatalogAnswers
    const kept = edition === undefined ? undefined : rankings.get(asked, edition)
    if (kept !== undefined) return kept as PrintedAnswer<T>
    const made = yield* Effect.flatMap(make, printJson)
    if (edition !== undefined) rankings.keep(asked, edition, made)
    return made
  })

const printList = Effect.fnUntraced(function* <T>(list: List<T>) {
  return yield* withTag<T>(yield* inSlices(joiningBytes(yield* inSlices(listInSteps(list)))))
})

const keptAnswer = <T, E, R>(account_id: string, asked: string, made: Effect.Effect<PrintedAnswer<T>, E, R>) =>
  Effect.flatMap(CatalogAnswers, ({ printed, slots }) =>
    (printed as ValidatedCache<PrintedAnswer<T>>).share(asked, slots.within(account_id)(made), account_id)
  )

/** The kept answer of the account, else the printed value of `make`. `asked` names everything that the answer depends on. */
export const catalogAnswer = <T, E, R>(account_id: string, asked: string, make: Effect.Effect<T, E, R>) =>
  keptAnswer(account_id, asked, Effect.flatMap(make, printJson))

/** The same for a list, which ends by bytes. */
export const catalogList = <T, E, R>(account_id: string, asked: string, make: Effect.Effect<List<T>, E, R>) =>
  keptAnswer(account_id, asked, Effect.flatMap(make, printList))

/** A number for each object that answers stand on. */
const numbers = new WeakMap<object, number>()
let numbered = 0
const numberOf = (one: object): number => {
  const known = numbers.get(one) ?? ++numbered
  numbers.set(one, known)
  return known
}

/**
 * The kept list of one key of the account, else the printed list of `make`. `asked` also names the key. `standsOn`: what else the answer
 * depends on, as caches keep it: requests for which these are the same objects share one answer, and a change that replaces one of them
 * leaves the others theirs.
 */
export const keyList = <T, E, R>(
  account_id: string,
  asked: string,
  standsOn: readonly object[],
  make: Effect.Effect<List<T>, E, R>
) =>
  Effect.flatMap(CatalogAnswers, ({ ofKeys, slots }) =>
    (ofKeys as ValidatedCache<PrintedAnswer<T>>).share(
      `${standsOn.map(numberOf).join()} ${asked}`,
      slots.within(account_id)(Effect.flatMap(make, printList)),
      account_id
    )
  )

/** Runs what reads many bytes of the catalog, and is no kept answer, when it is the account's turn. */
export const inCatalogSlot = <A, E, R>(account_id: string, make: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CatalogAnswers, ({ slots }) => slots.within(account_id)(make))

/** Measures an account's own models in its turn, however many others of it wait. */
export const measuredInTurn = <A, E, R>(account_id: string, measure: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CatalogAnswers, ({ measuring }) => outsideTransactions(measuring.goingOn(account_id))(measure))

/** The kept tokens of these days, else what `make` reads. */
export const keptTotals = <E, R>(days: string, make: Effect.Effect<readonly TokenTotal[], E, R>) =>
  Effect.flatMap(CatalogAnswers, ({ totals }) => totals.share(days, make))

/** The kept answer of the account, else the text of `make`, with a type of its own. */
export const catalogText = <T, E, R>(
  account_id: string,
  asked: string,
  contentType: string,
  make: Effect.Effect<string, E, R>
) =>
  keptAnswer(
    account_id,
    asked,
    Effect.flatMap(make, (text) => withTag<T>(utf8.encode(text), contentType))
  )

/** The kept measures of a model, else what `make` measures. Accounts share those of a model that means the same to all: `account_id` is undefined. */
export const keptMeasures = <E, R>(
  account_id: string | undefined,
  id: string,
  make: Effect.Effect<ModelMeasures, E, R>
) => Effect.flatMap(CatalogAnswers, ({ measures }) => measures.share(id, make, account_id))
