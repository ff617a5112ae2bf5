import { assert, describe, it } from "@effect/vitest"
import { freeNumbers, makePlaceholders } from "../../core/src/filter/prompt/Placeholders.ts"

const labels = ["[EMAIL]", 'the "own" name', "back\\slash", "new\nline", "ünïcode", "a ] or [ b"]
const values = ["jane@x.example.com", 'says "no"', "c:\\temp\n"]

/** More than any label has values here. */
const numbers = Array.from({ length: 10 }, (_, index) => index + 1)

describe("Restorer", () => {
  it("puts values back whatever their label, plain and as JSON has them inside its strings, cut anywhere", () => {
    const placeholders = makePlaceholders(numbers)
    const said = labels.flatMap((label) => values.map((value) => ({ value, put: placeholders.of(label, value) })))
    const restorer = placeholders.restorer()
    assert.isDefined(restorer)
    for (const { value, put } of said) {
      assert.strictEqual(restorer?.text(`<${put}>`), `<${value}>`)
      const json = JSON.stringify({ [put]: [`<${put}>`] })
      const whole = JSON.stringify({ [value]: [`<${value}>`] })
      assert.strictEqual(restorer?.text(json, { json: true }), whole)
      for (let cut = 0; cut <= json.length; cut++) {
        const stream = restorer?.stream({ json: true })
        const pieces = [stream?.push(json.slice(0, cut)), stream?.push(json.slice(cut)), stream?.end()]
        assert.strictEqual(pieces.join(""), whole, `cut at ${cut}`)
      }
    }
  })

  it("holds back nothing of a stream that cannot become a placeholder any more", () => {
    const placeholders = makePlaceholders(numbers)
    const put = placeholders.of("[EMAIL]", "jane@x.example.com")
    const stream = placeholders.restorer()?.stream()
    for (const chunk of ["no bracket", "", `[${"x".repeat(put.length)}`, "[1, 2] and", "]"])
      assert.strictEqual(stream?.push(chunk), chunk)
    assert.deepStrictEqual(
      ["a [", "b", "[EM", "AIL_1]"].map((chunk) => stream?.push(chunk)),
      ["a ", "", "[b", "jane@x.example.com"]
    )
    assert.strictEqual(stream?.end(), "")
  })

  it("leaves placeholders where a model repeats a long value without end, and restores a short one as often as it likes", () => {
    const placeholders = makePlaceholders(numbers)
    const long = "x".repeat(600_000)
    const put = placeholders.of("[LONG]", long)
    const short = placeholders.of("[EMAIL]", "jane@x.example.com")
    const restorer = placeholders.restorer()
    assert.strictEqual(restorer?.text(`${short} `.repeat(10_000)), "jane@x.example.com ".repeat(10_000))
    assert.strictEqual(restorer?.growth(`${put} and ${short}`), long.length + "jane@x.example.com".length)
    assert.isAtMost(restorer?.growth(put.repeat(500)) ?? Infinity, 8 * 1_048_576)
    const answer = restorer?.text(put.repeat(500)) ?? ""
    assert.isAtMost(answer.length, 8_388_608 + 500 * put.length)
    assert.include(answer, long + long + long + long + long)
    assert.isTrue(answer.endsWith(put))
    assert.strictEqual(restorer?.stream().push(put), put)
  })

  it("gives equal values one number, others another, and none that was written before", () => {
    const steps = freeNumbers(["[A_1] and [B_3]"], 2)
    let pauses = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) pauses++
    // After each number that is read, and each that is tried.
    assert.strictEqual(pauses, 6)
    const { of, restorer } = makePlaceholders(step.value)
    assert.isUndefined(restorer())
    assert.deepEqual(
      [of("[A]", "x"), of("[A]", "y"), of("[A]", "x"), of("B", "x"), of("[B]", "y"), of("B", "x")],
      ["[A_2]", "[A_4]", "[A_2]", "[B_2]", "[B_4]", "[B_2]"]
    )
  })
})
