/**
 * Answers that stand on the catalog, printed: a list of hundreds of models costs a request no more than sending it.
 *
 * A change of the installation's catalog forgets every answer, a change of an account's own models those of the account. What is measured in
 * an answer, and the age of a model, is up to a minute old (Rule: models#model-lists). Requests that come at once share one answer in the
 * making.
 */
import type { Noun } from "@gatewarden/contract"
import { Context, Effect } from "effect"
import { Digest } from "../platform/Digest.ts"
import type { FreshnessState } from "../stream/Freshness.ts"
import { makeTrustedCache, type TrustedCache } from "../stream/TrustedCache.ts"
import { inSlices } from "../value/inSlices.ts"
import { joiningBytes } from "../value/joinBytes.ts"
import { jsonBytes } from "../value/jsonPieces.ts"
import { PrintedAnswer } from "../value/PrintedAnswer.ts"
import type { TokenTotal } from "../usage/rankings/RankingsReader.ts"
import type { ModelMeasures } from "./modelSorts.ts"

/** An answer to one key, which counts as long as the objects that it stands on are those that apply to the key. */
interface KeyAnswer {
  readonly answer: PrintedAnswer<unknown>
  readonly standsOn: readonly unknown[]
}

interface Answers {
  /** By account and what was asked. */
  readonly printed: TrustedCache<PrintedAnswer<unknown>>
  /** What was measured of models, by account and id. */
  readonly measures: TrustedCache<ModelMeasures>
  /** By account, key and what was asked. */
  readonly ofKeys: TrustedCache<KeyAnswer>
  /** Tokens of recorded names by days, whatever list asks for them. */
  readonly totals: TrustedCache<readonly TokenTotal[]>
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
  const printed: Answers["printed"] = makeTrustedCache(
    freshness,
    capacity,
    ({ bytes }, asked) => bytes.length + 2 * asked.length + entryBytes
  )
  const measures: Answers["measures"] = makeTrustedCache(freshness, mostMeasures)
  const ofKeys: Answers["ofKeys"] = makeTrustedCache(
    freshness,
    capacity,
    ({ answer }, asked) => answer.bytes.length + 2 * asked.length + entryBytes
  )
  const totals: Answers["totals"] = makeTrustedCache(freshness, mostTotals)
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
  return { printed, measures, ofKeys, totals }
}

const utf8 = new TextEncoder()

export const withTag = Effect.fnUntraced(function* <T>(bytes: Uint8Array, contentType?: string) {
  const hash = yield* (yield* Digest).sha256Hex(bytes)
  return new PrintedAnswer<T>(bytes, `"${hash}"`, contentType)
})

const printJson = Effect.fnUntraced(function* <T>(value: T) {
  return yield* withTag<T>(yield* inSlices(joiningBytes(yield* inSlices(jsonBytes(value)))))
})

/** The kept answer of the account, else the printed value of `make`. `asked` names everything that the answer depends on. */
export const catalogAnswer = <T, E, R>(account_id: string, asked: string, make: Effect.Effect<T, E, R>) =>
  Effect.flatMap(CatalogAnswers, ({ printed }) =>
    (printed as TrustedCache<PrintedAnswer<T>>).share(asked, Effect.flatMap(make, printJson), account_id)
  )

/**
 * The kept answer to one key of the account, else the printed value of `make`. `asked` also names the key. `standsOn`: what else the answer
 * depends on, as caches keep it: while a change leaves these very objects, it leaves the answer.
 */
export const keyAnswer = <T, E, R>(
  account_id: string,
  asked: string,
  standsOn: readonly unknown[],
  make: Effect.Effect<T, E, R>
) =>
  Effect.flatMap(CatalogAnswers, ({ ofKeys }) => {
    const made = Effect.map(Effect.flatMap(make, printJson), (answer): KeyAnswer => ({ answer, standsOn }))
    const counts = (kept: KeyAnswer) => kept.standsOn.every((one, index) => one === standsOn[index])
    const shared = ofKeys.share(asked, made, account_id)
    const answer = Effect.flatMap(shared, (kept) => {
      if (counts(kept)) return Effect.succeed(kept)
      ofKeys.forget(asked, account_id)
      // Another look-up that began before the change may be met: then this request makes its own.
      return Effect.flatMap(shared, (renewed) => (counts(renewed) ? Effect.succeed(renewed) : made))
    })
    return Effect.map(answer, (kept) => kept.answer as PrintedAnswer<T>)
  })

/** The kept tokens of these days, else what `make` reads. */
export const keptTotals = <E, R>(days: string, make: Effect.Effect<readonly TokenTotal[], E, R>) =>
  Effect.flatMap(CatalogAnswers, ({ totals }) => totals.share(days, make))

/** The same for an answer that is a text of another type. */
export const catalogText = <T, E, R>(
  account_id: string,
  asked: string,
  contentType: string,
  make: Effect.Effect<string, E, R>
) =>
  Effect.flatMap(CatalogAnswers, ({ printed }) =>
    (printed as TrustedCache<PrintedAnswer<T>>).share(
      asked,
      Effect.flatMap(make, (text) => withTag<T>(utf8.encode(text), contentType)),
      account_id
    )
  )

/** The kept measures of a model, else what `make` measures. Accounts share those of a model that means the same to all: `account_id` is undefined. */
export const keptMeasures = <E, R>(
  account_id: string | undefined,
  id: string,
  make: Effect.Effect<ModelMeasures, E, R>
) => Effect.flatMap(CatalogAnswers, ({ measures }) => measures.share(id, make, account_id))
