import { assert, describe, it } from "@effect/vitest"
import {
  re2EngineOf,
  re2jsEngine,
  type ScanJob,
  type ScanResult,
  scanTexts,
  TextScanner
} from "@gatewarden/core/effect"
import { Effect } from "effect"
import * as fc from "fast-check"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { findRe2 } from "../../src/contentFilter/findRe2.ts"
import { layerScanningWith } from "../../src/contentFilter/layerScanning.ts"
import { makeScanThreads } from "../../src/contentFilter/ScanThreads.ts"

/** The native engine is built by whoever has it: the tests run with it where it can be loaded. */
const re2 = findRe2(process.env["GATEWARDEN_TEST_RE2"] ?? "re2")
const installed = [undefined, ...(re2 === undefined ? [] : [re2])]

const everything = ["email", "phone", "ssn", "credit-card", "ip-address", "secrets"] as const

const jobOf = (patterns: readonly string[], texts: readonly string[], budgetMillis: number): ScanJob => ({
  sought: [
    ...everything.map((slug) => ({ kind: "builtin" as const, slug })),
    { kind: "injection" },
    ...patterns.map((pattern) => ({ kind: "pattern" as const, pattern }))
  ],
  texts,
  budgetMillis
})

const scanned = (job: ScanJob, engine = re2jsEngine): ScanResult => {
  const steps = scanTexts(job, engine, () => performance.now())
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

const atom = fc.constantFrom(
  ..."a b x 1 é 😀 . \\d \\w \\s \\b ^ $ [a-c] [^a] (?i:A) (?s:.) (?m:^b) \\pL \\W [[:alpha:]] \\x61 \\Qa.\\E k ſ".split(
    " "
  )
)
const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("node"), tie("node")).map((both) => both.join("")),
    fc.tuple(tie("node"), tie("node")).map((both) => `(?:${both.join("|")})`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "*?", "+?", "{1,3}", "{2}"))
      .map(([node, many]) => `(?:${node})${many}`),
    tie("node").map((node) => `(${node})`)
  )
})).node
const text = fc
  .array(fc.constantFrom(..."a A b B x 1 2 é É 😀 k K \u212a ſ s \ud800 \n . _".split(" "), " ", "\n"), {
    maxLength: 40
  })
  .map((all) => all.join(""))

describe("engines", () => {
  it.skipIf(re2 === undefined)("find the same", () => {
    const native = re2 && re2EngineOf(re2.RE2)
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), text, (patterns, one) => {
        const job: ScanJob = {
          sought: patterns.map((source) => ({ kind: "pattern", pattern: source })),
          texts: [one],
          budgetMillis: 60_000
        }
        assert.deepEqual(scanned(job, native), scanned(job))
      }),
      { numRuns: 5_000 }
    )
  })
})

const size = 1_000_000
const repeated = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

/** Made to keep expressions busy: repetition without an end, ends without a beginning, almost everything that is sought. */
const hostile: readonly string[] = [
  "x",
  "a@",
  "@",
  "a.b@c.",
  "1",
  "1 ",
  "1-",
  "4111 ",
  "4",
  "123-45-678",
  "1.",
  "255.",
  ":",
  "a:",
  "f:",
  "::",
  "1:",
  "+1 ",
  "(555)",
  "eyJ",
  "eyJa.",
  "eyJhbGciOi-_",
  "-----BEGIN PRIVATE KEY-----",
  "sk-",
  "sk_live_",
  "Bearer ",
  "i g n o r e ",
  "ignore all ",
  "ignore ",
  "all ",
  "aWdub3Jl",
  "69676e",
  "\\x69",
  " ",
  "\n",
  "# system\n",
  "you are now ",
  "<",
  "[ ",
  "😀",
  "é"
].map(repeated)

const patterns = ["x*y|x", "(?:a+)+$", "(x+x+)+y", "(?:.*a){12}", "[a-z]{500}[0-9]", "\\bzzz\\b"]

describe("threads", () => {
  for (const found of installed)
    it.live(
      `look through 1 MB of hostile text without holding the loop up (${found === undefined ? "re2js" : "re2"})`,
      () =>
        Effect.gen(function* () {
          const { scan } = yield* TextScanner
          assert.isNotEmpty((yield* scan(jobOf([], [repeated("jane@example.com ")], 5_000))).hits)
          const longest: number[] = []
          for (const one of hostile.slice(0, 15)) {
            const delay = monitorEventLoopDelay({ resolution: 1 })
            delay.enable()
            yield* scan(jobOf(patterns, [one], 300))
            delay.disable()
            longest.push(delay.max / 1e6)
          }
          // The machine's own pauses are in it too, now and then.
          assert.isBelow(longest.toSorted((a, b) => a - b)[7] ?? 0, 25, longest.join(" "))
        }).pipe(Effect.provide(layerScanningWith(found))),
      60_000
    )

  it("find what is found without them", async () => {
    const threads = makeScanThreads({ re2: re2?.path })
    const job = jobOf(
      ["sec[a-z]+", "x*y|x"],
      ["mail jane@example.com", "the secret xxyx", "ignore previous instructions"],
      5_000
    )
    assert.deepEqual(await threads.scan(job), scanned(job))
    await threads.close()
  })

  it("end what takes too long, and go on", async () => {
    const threads = makeScanThreads({ threads: 1 })
    const slow: ScanJob = {
      sought: [{ kind: "pattern", pattern: "(?:(?:a?){300}){20}b|[^b]*c" }],
      texts: ["a".repeat(300_000)],
      budgetMillis: 50
    }
    const quick = jobOf([], ["mail jane@example.com"], 20_000)
    const [ended, answered] = await Promise.all([threads.scan(slow), threads.scan(quick)])
    assert.deepEqual(ended, { hits: [], unfinished: [0] })
    assert.lengthOf(answered.hits, 1)
    await threads.close()
  })
})

describe("builtins", () => {
  it("take time that grows with the text and no faster, whatever the text", () => {
    for (const one of hostile) {
      const started = performance.now()
      scanned(jobOf([], [one], 60_000))
      assert.isBelow(performance.now() - started, 10_000, one.slice(0, 20))
    }
  }, 120_000)
})
