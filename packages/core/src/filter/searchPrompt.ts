/**
 * Searches a request for what its filters look for, and once more what a redaction left of it: a label may join what stood on its two
 * sides, or make another name of it.
 *
 * Rule: content-filters#actions.
 */
import { Effect } from "effect"
import { inMeasuredSlices, inSlices } from "../value/inSlices.ts"
import { type CompiledFilter, type CompiledFilters, searchingAgain } from "./CompiledFilters.ts"
import { ContentFilterSettings, detectIn } from "./ContentFilterSettings.ts"
import { type Found, type Outcome, outcomesOf, type Searched } from "./outcomesOf.ts"
import { inPassages, type Passages, passagesOf, uniteFound } from "./passages.ts"
import { type Prompt, PromptTexts } from "./prompt/PromptTexts.ts"
import { type RedactedPrompt, withinLabels, writtenIn } from "./redactPrompt.ts"
import { TextScanner } from "./TextScanner.ts"

export interface SearchedPrompt {
  readonly read: PromptTexts
  readonly passages: Passages
  readonly searched: Pick<Searched, "hits" | "unfinished" | "detections">
}

// What follows each other without a pause is one generator: each that is run in slices begins with a slice of its own.
function* readPrompt(prompt: Prompt, budgetMillis: number, now: () => number) {
  const end = now() + budgetMillis
  const read = yield* PromptTexts.of(prompt, () => now() > end)
  const passages = yield* passagesOf(read.isWhole ? read.texts : [])
  return { read, passages, leftMillis: Math.max(0, end - now()) }
}

export const searchPrompt = Effect.fnUntraced(function* ({ sought, detected }: CompiledFilters, prompt: Prompt) {
  const { budget_millis } = yield* ContentFilterSettings
  const { read, passages, leftMillis } = yield* inMeasuredSlices((now) => readPrompt(prompt, budget_millis, now))
  const scanner = yield* TextScanner
  const texts = passages.views.map(({ text }) => text)
  const [{ hits, unfinished }, detections] = yield* Effect.all(
    [
      sought.length === 0 || !read.isWhole
        ? Effect.succeed({ hits: [], unfinished: [...sought.keys()] })
        : scanner.scan({ sought, texts, budgetMillis: leftMillis }),
      read.isWhole ? detectIn(passages, detected) : Effect.succeed(undefined)
    ],
    { concurrency: 2 }
  )
  return { read, passages, searched: { hits, unfinished, detections } } satisfies SearchedPrompt
})

export function* outcomesIn(filters: readonly CompiledFilter[], { passages, searched }: SearchedPrompt) {
  return yield* outcomesOf(filters, {
    ...searched,
    hits: yield* inPassages(passages, searched.hits),
    roles: passages.passages.map(({ role }) => role),
    tokens: passages.passages.map(({ isToken }) => isToken),
    unite: (found) => uniteFound(passages, found)
  })
}

/** What a redaction changed. No passage lies in two messages or fields. */
const changedIn = (before: Prompt, after: Prompt): Prompt => ({
  messages: after.messages.filter((message, index) => message !== before.messages[index]),
  fields: Object.fromEntries(Object.entries(after.fields).filter(([name, value]) => before.fields[name] !== value))
})

/** Without what is found in the labels themselves. */
function* outcomesBeside(labels: ReadonlySet<string>, filters: readonly CompiledFilter[], again: SearchedPrompt) {
  const isWithin = withinLabels(labels)
  const written = new Map<number, string>()
  const outcomes: Outcome[] = []
  for (const outcome of yield* outcomesIn(filters, again)) {
    const found: Found[] = []
    for (const one of outcome.found) {
      const passage = again.passages.passages[one.text]
      const text = written.get(one.text) ?? (passage === undefined ? "" : writtenIn(passage, again.read))
      written.set(one.text, text)
      if (!isWithin(text, one)) found.push(one)
      yield
    }
    outcomes.push({ ...outcome, found })
  }
  return outcomes
}

export const nothingMore: { readonly outcomes: readonly Outcome[]; readonly unscanned: readonly string[] } = {
  outcomes: [],
  unscanned: []
}

/** What the filters find in a request after its redaction, none of which may be sent, and the parts that they cannot read. */
export const searchRedacted = Effect.fnUntraced(function* (
  compiled: CompiledFilters,
  prompt: Prompt,
  redacted: RedactedPrompt,
  outcomes: readonly Outcome[]
) {
  if (redacted.labels.size === 0) return nothingMore
  const redacting = outcomes.filter(({ filter, found }) => filter.action === "redact" && found.length > 0)
  const filters = searchingAgain(
    compiled,
    redacting.map(({ filter }) => filter)
  )
  if (filters.filters.length === 0) return nothingMore
  const again = yield* searchPrompt(filters, changedIn(prompt, redacted))
  return {
    outcomes: yield* inSlices(outcomesBeside(redacted.labels, filters.filters, again)),
    unscanned: again.read.unscanned
  }
})
