/**
 * Answers that stand on the catalog, printed: a list of hundreds of models costs a request no more than sending it.
 *
 * A change of the installation's catalog forgets every answer, a change of an account's own models those of the account. What is measured in
 * an answer, and the age of a model, is up to a minute old (Rule: models#model-lists).
 */
import { Context, Effect } from "effect"
import { Digest } from "../platform/Digest.ts"
import type { FreshnessState } from "../stream/Freshness.ts"
import { makeTrustedCache, type TrustedCache } from "../stream/TrustedCache.ts"
import { inSlices } from "../value/inSlices.ts"
import { joiningBytes } from "../value/joinBytes.ts"
import { jsonBytes } from "../value/jsonPieces.ts"
import { PrintedAnswer } from "../value/PrintedAnswer.ts"

/** By account and what was asked. */
type Answers = TrustedCache<PrintedAnswer<unknown>>

export class CatalogAnswers extends Context.Service<CatalogAnswers, Answers>()("gatewarden/CatalogAnswers") {}

/** Bytes of all answers together, with what was asked, which may be longer than the answer. */
const capacity = 64 * 1_048_576

/** What an entry takes beside both. */
const entryBytes = 1024

export const makeCatalogAnswers = (freshness: FreshnessState): Answers => {
  const answers: Answers = makeTrustedCache(
    freshness,
    capacity,
    ({ bytes }, asked) => bytes.length + 2 * asked.length + entryBytes
  )
  freshness.onChange((changes) => {
    if (changes === "everything") return answers.clear()
    for (const { noun, account_id } of changes) {
      if (noun !== "catalog") continue
      if (account_id === null) answers.clear()
      else answers.forgetOwner(account_id)
    }
  })
  return answers
}

const utf8 = new TextEncoder()

const withTag = Effect.fnUntraced(function* <T>(bytes: Uint8Array, contentType?: string) {
  const hash = yield* (yield* Digest).sha256Hex(bytes)
  return new PrintedAnswer<T>(bytes, `"${hash}"`, contentType)
})

const printJson = Effect.fnUntraced(function* <T>(value: T) {
  return yield* withTag<T>(yield* inSlices(joiningBytes(yield* inSlices(jsonBytes(value)))))
})

/** The kept answer of the account, else the printed value of `make`. `asked` names everything that the answer depends on. */
export const catalogAnswer = <T, E, R>(account_id: string, asked: string, make: Effect.Effect<T, E, R>) =>
  Effect.flatMap(CatalogAnswers, (answers) =>
    (answers as TrustedCache<PrintedAnswer<T>>).get(asked, Effect.flatMap(make, printJson), account_id)
  )

/** The same for an answer that is a text of another type. */
export const catalogText = <T, E, R>(
  account_id: string,
  asked: string,
  contentType: string,
  make: Effect.Effect<string, E, R>
) =>
  Effect.flatMap(CatalogAnswers, (answers) =>
    (answers as TrustedCache<PrintedAnswer<T>>).get(
      asked,
      Effect.flatMap(make, (text) => withTag<T>(utf8.encode(text), contentType)),
      account_id
    )
  )
