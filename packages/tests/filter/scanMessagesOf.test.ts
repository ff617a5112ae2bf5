/** A job on its way to another thread: in messages that are short each, and whole at the other end. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type JoinedText, messagesOf, receivingJobs, type ScanJob, wholeTexts } from "../../core/src/filter/ScanJob.ts"
import { isMoreWork } from "../../core/src/filter/TextScanner.ts"
import { runSteps } from "../value/runSteps.ts"

const jobOf = (texts: ScanJob["texts"]): ScanJob => ({ sought: [{ kind: "injection" }], texts, budgetMillis: 20 })

const received = (job: ScanJob): readonly (ScanJob | undefined)[] => {
  const receive = receivingJobs()
  return [...messagesOf(job)].map(receive)
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom("a".repeat(262_144), `${"é".repeat(262_143)}🙂`, "x".repeat(600_000)),
  fc.constant<JoinedText>({ of: [0, 1], between: "\n" })
)

describe("a job for another thread", () => {
  it("is there with the last of its messages, and as it was", () =>
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
        const job = jobOf(texts)
        const jobs = received(job)
        assert.deepStrictEqual(jobs.at(-1), job)
        assert.isTrue(jobs.slice(0, -1).every((one) => one === undefined))
      }),
      { numRuns: 50 }
    ))

  it("takes no message of more than half a MiB, nor of more than 2,000 texts", () => {
    const messages = [...messagesOf(jobOf(["a".repeat(5_000_000), ...Array.from({ length: 9_000 }, () => "b")]))]
    assert.isAtLeast(messages.length, 20 + 4)
    for (const { texts } of messages) {
      assert.isAtMost(
        texts.reduce((sum, one) => sum + (typeof one === "string" ? one.length : 0), 0),
        524_288
      )
      assert.isAtMost(texts.length, 2_000)
    }
  })

  it("begins a slice with every text that is joined of much", () => {
    const long = "a".repeat(100_000)
    const { value, long: announced } = runSteps(
      wholeTexts([long, "b", { of: [0, 1], between: "" }, { of: [1, 1], between: "\n" }, { of: [1, 0], between: "\n" }])
    )
    assert.deepStrictEqual(value.slice(2), [`${long}b`, "b\nb", `b\n${long}`])
    assert.strictEqual(announced, 2)
  })

  it("is more work where texts or what is sought are more, joined texts among them", () => {
    assert.isFalse(isMoreWork(jobOf(["a".repeat(800)]), 900))
    assert.isTrue(isMoreWork(jobOf(["a".repeat(801)]), 900))
    // In as many readings as there may be.
    assert.isTrue(isMoreWork(jobOf(["é".repeat(300)]), 900))
    assert.isTrue(isMoreWork(jobOf(["a".repeat(500), { of: [0], between: "" }]), 900))
  })
})
