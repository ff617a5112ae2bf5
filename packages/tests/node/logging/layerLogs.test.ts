/** What reaches stderr: a line for each message, whoever reads it. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import { layerLogs } from "../../../node/src/logging/layerLogs.ts"

const written = (isTTY: boolean, log: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: string[] = []
    const stderr = { isTTY, write: (text: string) => lines.push(stripVTControlCharacters(text)) > 0 }
    yield* Effect.provide(log, layerLogs("info", stderr))
    return lines
  })

describe("a message with fields", () => {
  const log = Effect.logInfo("Applied migrations", { count: 36, last: "list_counts", size: 12n, what: "a b\nc" })

  it.effect("is one line on a terminal", () =>
    Effect.gen(function* () {
      const lines = yield* written(true, log)
      assert.lengthOf(lines, 1)
      assert.match(
        lines[0] ?? "",
        /^\d\d:\d\d:\d\d\.\d{3} INFO Applied migrations count=36 last=list_counts size="12" what="a b\\nc"\n$/
      )
    })
  )

  it.effect("is a JSON object elsewhere", () =>
    Effect.gen(function* () {
      const lines = yield* written(false, log)
      assert.lengthOf(lines, 1)
      assert.deepInclude(JSON.parse(lines[0] ?? ""), {
        level: "info",
        message: "Applied migrations",
        count: 36,
        size: "12"
      })
    })
  )
})

it.effect("what is below the level is not there, and a cause follows its message", () =>
  Effect.gen(function* () {
    const log = Effect.andThen(Effect.logDebug("no"), Effect.logError("gone", Cause.die(new Error("why"))))
    const [line = "", ...others] = yield* written(true, log)
    assert.isEmpty(others)
    assert.match(line, /^\S+ ERROR gone\n.*why/)
  })
)
