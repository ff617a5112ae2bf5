/** What of a query no database could keep or no operation could choose from is refused before either sees it. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as z from "zod"
import { BadRequest } from "../../core/src/value/failure.ts"
import { readQuery } from "../../core/src/http/readQuery.ts"

const schema = z.object({ one: z.string(), other: z.string() })

const codesOf = (search: string, known: z.ZodObject | undefined, unknown?: "refused") =>
  Effect.map(Effect.exit(readQuery(search, known, unknown)), (exit) => {
    const failure = Exit.findErrorOption(exit)
    return failure._tag === "Some" && failure.value instanceof BadRequest
      ? (failure.value.issues ?? []).map(({ path, code }) => `${path} ${code}`)
      : Exit.isSuccess(exit) && exit.value
  })

it.effect("refuses U+0000 and what is given twice, and reads what it knows", () =>
  Effect.gen(function* () {
    const codes = (search: string) => codesOf(search, schema)
    assert.deepStrictEqual(yield* codes("one=a%00b"), ["query.one nul_character"])
    assert.deepStrictEqual(yield* codes("one=a&one=a"), ["query.one repeated"])
    assert.deepStrictEqual(yield* codes("one=a&third=%00&third="), { one: "a" })
  })
)

it.effect("names the parameter that was meant, or all, and no name that may be a credential", () =>
  Effect.gen(function* () {
    const messages = (search: string, known?: z.ZodObject) =>
      Effect.map(Effect.flip(readQuery(search, known, "refused")), ({ issues }) =>
        (issues ?? []).map(({ path, message }) => `${path}: ${message}`)
      )
    assert.deepStrictEqual(yield* messages("one=a&ohter=b", schema), [
      "query.ohter: Unknown parameter; did you mean other?"
    ])
    assert.deepStrictEqual(yield* messages("sk-live-0123456789=&=", schema), [
      "query.*: Unknown parameter; this operation takes one, other",
      "query.*: Unknown parameter; this operation takes one, other"
    ])
    assert.deepStrictEqual(yield* messages("one=a"), ["query.one: Unknown parameter; this operation takes none"])
    const many = yield* messages("x=&".repeat(10_000), schema)
    assert.strictEqual(many.length, 100)
    assert.deepStrictEqual(yield* messages(`${"one".repeat(1_000_000)}=`, schema), [
      "query.*: Unknown parameter; this operation takes one, other"
    ])
    assert.deepStrictEqual(yield* codesOf("one=a", schema, "refused"), { one: "a" })
    assert.deepStrictEqual(yield* codesOf("", undefined, "refused"), {})
    assert.deepStrictEqual(yield* codesOf("one=a", undefined), {})
  })
)
