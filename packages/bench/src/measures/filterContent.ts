import { type PatternEngineFunctions, re2EngineOf, re2jsEngine, scanTexts } from "@gatewarden/core/internal/scanning"
import { findRe2 } from "@gatewarden/node/internal"
import type { Contender, Race } from "../Measure.ts"

const size = 1_000_000

/** Prose with an address, a number and a card in every two thousand characters. */
const text =
  `${"The quick brown fox jumps over the lazy dog, 42 times a day. ".repeat(32)}Write to jane.doe@example.com, SSN 123-45-6789, card 4111 1111 1111 1111. `
    .repeat(Math.ceil(size / 2_000))
    .slice(0, size)

/** What the three builtins look for, as one who has only the engine would write it. */
const combined = String.raw`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}|\b\d{3}-\d{2}-\d{4}\b|\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b`

/** How often a second it is done; the text is a megabyte, so that this is MB/s. */
const repeat =
  (once: () => void): Contender =>
  async (millis) => {
    const start = performance.now()
    let done = 0
    while (performance.now() - start < millis) {
      once()
      done++
    }
    return (done * 1000) / (performance.now() - start)
  }

const bareCall = (engine: PatternEngineFunctions) => {
  const next = engine.compile(combined).search(text)
  return () => {
    let count = 0
    for (let found = next(0); found !== undefined; found = next(found.end)) count++
    if (count < 1000) throw new Error("The bare engine does not find what is there")
  }
}

const builtins = (engine: PatternEngineFunctions) => () => {
  const sought = (["email", "ssn", "credit-card"] as const).map((slug) => ({ kind: "builtin" as const, slug }))
  const steps = scanTexts({ sought, texts: [text], budgetMillis: 60_000 }, engine, () => performance.now())
  for (let step = steps.next(); ; step = steps.next())
    if (step.done === true) {
      if (step.value.hits.length < 1000) throw new Error("The builtins do not find what is there")
      return
    }
}

const beside = (engine: PatternEngineFunctions): Race => ({
  kind: "race",
  name: `Content filters: three builtins over 1 MB (MB/s), beside one combined pattern of ${engine.name}`,
  atLeast: 0.6,
  open: async () => ({
    ours: repeat(builtins(engine)),
    bare: { [engine.name]: repeat(bareCall(engine)) },
    close: async () => {}
  })
})

const found = findRe2(process.env["GATEWARDEN_TEST_RE2"])

/** One for each engine that is there. */
export const filterContent: readonly Race[] = [
  beside(re2jsEngine),
  ...(found === undefined ? [] : [beside(re2EngineOf(found.RE2))])
]
