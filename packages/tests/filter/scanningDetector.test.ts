import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { compileFilters } from "../../core/src/filter/CompiledFilters.ts"
import { Detector, detectorOf } from "../../core/src/filter/Detector.ts"
import { scanMessages } from "../../core/src/filter/scanMessages.ts"
import { appliedRule as rule } from "./appliedRule.ts"
import { part, said, user } from "./scanned.ts"

describe("a detector", () => {
  it("reads what is meant, and its spans stand where they stand in the original", async () => {
    const asked: string[] = []
    const detector = detectorOf((text) => {
      asked.push(text)
      const start = text.indexOf("Jane")
      return Promise.resolve(start === -1 ? [] : [{ kind: "person-name", start, end: start + 4 }])
    })
    const rules = [rule({ content_filter_builtins: [{ slug: "person-name", action: "redact", label: "[N]" }] })]
    const redacted = async (content: unknown) => {
      const { messages, findings } = await Effect.runPromise(
        Effect.provideService(
          scanMessages(compileFilters(rules), said(user(content)), { reversible: false }),
          Detector,
          detector
        )
      )
      return [messages[0]?.content, findings[0]?.count]
    }
    assert.deepEqual(await redacted("it is J\u200ban\u00ade!"), ["it is [N]!", 1])
    assert.deepEqual(await redacted("it is Jаne!"), ["it is [N]!", 1])
    assert.deepEqual(await redacted([part("it is Ja"), part("ne!")]), [[part("it is [N]"), part("!")], 1])
    asked.length = 0
    await redacted("это Иван")
    assert.deepEqual(asked, ["это Иван"])
  })
})
