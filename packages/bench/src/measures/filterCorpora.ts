import { corpora } from "@gatewarden/testkit/filterCorpus/corpus/corpora"
import { type CorpusSlug, weighCorpus } from "@gatewarden/testkit/filterCorpus/weighCorpus"
import type { Reading } from "../Measure.ts"

const slugs = Object.keys(corpora) as readonly CorpusSlug[]

/** How much of what each builtin finds is there, and how much of what is there it finds, in texts made to hide it or to look like it. */
export const filterCorpora: readonly Reading[] = slugs.flatMap((slug) =>
  (["precision", "recall"] as const).map((what): Reading => ({
    kind: "reading",
    name: `Content filters: ${what} of ${slug} over its corpus`,
    unit: "%",
    atMost: undefined,
    atLeast: 90,
    gated: true,
    read: () => Promise.resolve({ value: weighCorpus(slug)[what] * 100 })
  }))
)
