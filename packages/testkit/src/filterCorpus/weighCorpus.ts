/** What a builtin finds in its corpus, against what it is to find. */
import { re2jsEngine, type ScanJob, scanTexts } from "@gatewarden/core/internal/scanning"
import { corpora } from "./corpus/corpora.ts"

export interface Weighed {
  /** Of what is found, the part that is there. */
  readonly precision: number
  /** Of what is there, the part that is found. */
  readonly recall: number
  readonly positive: number
  readonly negative: number
}

export type CorpusSlug = keyof typeof corpora

/** The places of the texts in which something is found. */
export const placesOf = (sought: ScanJob["sought"][number], texts: readonly string[]): ReadonlySet<number> => {
  const steps = scanTexts({ sought: [sought], texts, budgetMillis: 60_000 }, re2jsEngine, () => 0)
  for (let step = steps.next(); ; step = steps.next())
    if (step.done === true) return new Set(step.value.hits.map(({ text }) => text))
}

/** The places of the texts in which the builtin finds something. */
export const foundIn = (slug: CorpusSlug, texts: readonly string[]): ReadonlySet<number> =>
  placesOf(slug === "regex-prompt-injection" ? { kind: "injection" } : { kind: "builtin", slug }, texts)

export const weighCorpus = (slug: CorpusSlug): Weighed => {
  const { positive, negative, missed, mistaken } = corpora[slug]
  const [there, absent] = [
    [...positive, ...missed],
    [...negative, ...mistaken]
  ]
  const found = foundIn(slug, there).size
  const wrong = foundIn(slug, absent).size
  return {
    precision: found / (found + wrong),
    recall: found / there.length,
    positive: there.length,
    negative: absent.length
  }
}
