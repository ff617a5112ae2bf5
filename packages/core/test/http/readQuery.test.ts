/** What of a query no database could keep or no operation could choose from is refused before either sees it. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as z from "zod"
import { BadRequest } from "../../src/failure.ts"
import { readQuery } from "../../src/http/readQuery.ts"

const schema = z.object({ one: z.string(), other: z.string() })

it.effect("refuses U+0000 and what is given twice, and reads what it knows", () =>
  Effect.gen(function* () {
    const codes = (search: string) =>
      Effect.map(Effect.exit(readQuery(search, schema)), (exit) => {
        const failure = Exit.findErrorOption(exit)
        return failure._tag === "Some" && failure.value instanceof BadRequest
          ? (failure.value.issues ?? []).map(({ path, code }) => `${path} ${code}`)
          : Exit.isSuccess(exit) && exit.value
      })
    assert.deepStrictEqual(yield* codes("one=a%00b"), ["query.one nul_character"])
    assert.deepStrictEqual(yield* codes("one=a&one=a"), ["query.one repeated"])
    assert.deepStrictEqual(yield* codes("one=a&third=%00&third="), { one: "a" })
  })
)
