/** Content filters over their corpora: what is hidden is found, and what is harmless passes. */
import { assert, describe, it } from "@effect/vitest"
import { customPattern, patterns } from "@gatewarden/testkit/filterCorpus/corpus/patterns"
import { corpora } from "@gatewarden/testkit/filterCorpus/corpus/corpora"
import { type CorpusSlug, foundIn, placesOf, weighCorpus } from "@gatewarden/testkit/filterCorpus/weighCorpus"

const slugs = Object.keys(corpora) as readonly CorpusSlug[]

for (const slug of slugs)
  describe(`the corpus of ${slug}`, () => {
    const { positive, negative, missed, mistaken } = corpora[slug]
    const textsIn = (texts: readonly string[], isFound: boolean) => {
      const found = foundIn(slug, texts)
      return texts.filter((_, place) => found.has(place) === isFound)
    }

    it("is large enough, and says nothing twice", () => {
      assert.isAtLeast(positive.length, 40)
      assert.isAtLeast(negative.length, 40)
      const all = [...positive, ...negative, ...missed, ...mistaken]
      assert.lengthOf(new Set(all), all.length)
    })

    it("has every positive found", () => {
      assert.deepEqual(textsIn(positive, false), [])
    })

    it("has every negative pass", () => {
      assert.deepEqual(textsIn(negative, true), [])
    })

    it("still has what is known to be missed and to be mistaken", () => {
      assert.deepEqual(textsIn(missed, true), [])
      assert.deepEqual(textsIn(mistaken, false), [])
    })

    it("has precision and recall of nine in ten at least", () => {
      const { precision, recall } = weighCorpus(slug)
      assert.isAtLeast(precision, 0.9)
      assert.isAtLeast(recall, 0.9)
    })
  })

describe("a custom pattern", () => {
  const { positive, negative, missed } = patterns
  const textsIn = (texts: readonly string[]) => {
    const found = placesOf({ kind: "pattern", pattern: customPattern }, texts)
    return texts.filter((_, place) => found.has(place))
  }

  it("finds what is written otherwise, and lets what is not it pass", () => {
    assert.isAtLeast(negative.length, positive.length)
    assert.deepEqual(textsIn(positive), positive)
    assert.deepEqual(textsIn(negative), [])
    assert.deepEqual(textsIn(missed), [])
  })
})
