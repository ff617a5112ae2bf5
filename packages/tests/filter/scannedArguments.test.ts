/** The JSON in a string has more values than a body may have: what a scan reads of a request has a limit, and all of it counts in its time. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { compileFilters } from "../../core/src/filter/CompiledFilters.ts"
import { ContentFilterSettings } from "../../core/src/filter/ContentFilterSettings.ts"
import { scanMessages } from "../../core/src/filter/scanMessages.ts"
import { TextScanner } from "../../core/src/filter/TextScanner.ts"
import { appliedRule as rule } from "./appliedRule.ts"
import { blocking, part, redacting, said, scan, user } from "./scanned.ts"

const calling = (...args: readonly string[]) =>
  said({ role: "assistant", tool_calls: args.map((json) => ({ function: { name: "f", arguments: json } })) })
const strings = (count: number) => `[${Array(count).fill('"a"').join(",")},"jane@example.com"]`

describe("arguments of tool calls", () => {
  it(
    "have as many strings as a body may have values, together, or the scan is unfinished",
    { tags: ["deep"] },
    async () => {
      for (const messages of [
        calling(strings(200_000)),
        calling(strings(150_000), strings(150_000)),
        calling(`${strings(200_000)} is no JSON`)
      ]) {
        for (const filter of [blocking("email"), redacting("email")]) {
          const { refusal, objections, messages: sent } = await scan([filter], messages)
          assert.deepInclude(refusal, {
            status: 403,
            reason: "content_filter_failed",
            metadata: { filter: "email", failure: "timeout" }
          })
          assert.isNotEmpty(objections)
          assert.isEmpty(sent)
        }
        const flags = rule({ content_filter_builtins: [{ slug: "email", action: "flag", label: "[EMAIL]" }] })
        const flagged = await scan([flags], messages)
        assert.isUndefined(flagged.refusal)
        assert.deepEqual(
          flagged.findings.map(({ action, count }) => [action, count]),
          [["flag", 0]]
        )
      }
    }
  )

  it("are read and redacted below that", async () => {
    const { messages } = await scan([redacting("email")], calling(strings(190_000)))
    assert.notInclude(JSON.stringify(messages), "jane")
  })

  it("leave no part unscanned that nobody records", async () => {
    const file = { type: "file", file: { file_data: "data:text/plain;base64,YWJj" } }
    const rules = [rule({ content_filter_unscannable: "block" })]
    assert.isUndefined((await scan(rules, said(user([part("hi"), file])))).refusal)
    const { refusal } = await scan(rules, [...calling(strings(200_000)), ...said(user([part("hi"), file]))])
    assert.strictEqual(refusal?.reason, "content_unscannable")
  })

  it("count in the time of the scan", async () => {
    const { refusal } = await Effect.runPromise(
      scanMessages(compileFilters([blocking("ssn")]), calling(strings(150_000)), { reversible: false }).pipe(
        Effect.provideService(ContentFilterSettings, { budget_millis: 100, detector_millis: 100 }),
        Effect.updateService(Clock.Clock, (clock) => {
          let now = 0n
          // A millisecond between any two looks.
          return { ...clock, monotonicTimeNanosUnsafe: () => (now += 1_000_000n) }
        }),
        Effect.provideService(TextScanner, { scan: () => Effect.die(new Error("scanned")) })
      )
    )
    assert.strictEqual(refusal?.reason, "content_filter_failed")
  })
})
