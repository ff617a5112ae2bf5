/** `gatewarden keyring …`. Rule: secrets#key-rotation. */
import { type SealedField, sealedFields } from "@gatewarden/core/store"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { exitCode } from "../../exitCode.ts"
import { failed } from "../../Failed.ts"
import type { InputOf } from "../store/storeCommands.ts"
import { columns } from "../columns.ts"
import { type Advance, countingRows } from "../countingRows.ts"
import { print, printJson } from "../CommandLine.ts"
import { json } from "../flags.ts"
import { untilStopped } from "../untilStopped.ts"
import { withConfiguration } from "../withConfiguration.ts"
import { type CallStore, withStore } from "../store/withStore.ts"

/**
 * A pass leaves values that were written meanwhile to the next pass. The number of passes is limited, because a process with an old
 * keyring may write for ever.
 */
const passes = 5

const rotateField = Effect.fnUntraced(function* (call: CallStore, field: SealedField, advance: Advance) {
  let rewrapped = 0
  let unreadable = 0
  let after: InputOf<"rewrapSecrets">["after"]
  do {
    const batch = yield* call("rewrapSecrets", { field, ...(after === undefined ? {} : { after }) })
    yield* advance(batch.rewrapped)
    rewrapped += batch.rewrapped
    unreadable += batch.unreadable
    after = batch.next
  } while (after !== undefined)
  return { rewrapped, unreadable }
})

/** Repeats passes over all secrets until every one that can be decrypted is encrypted with the primary key. */
const rotateAll = Effect.fnUntraced(function* (call: CallStore, advance: Advance) {
  let rewrapped = 0
  for (let pass = 1; ; pass++) {
    const fields = yield* Effect.forEach(sealedFields, (field) => rotateField(call, field, advance))
    rewrapped += fields.reduce((sum, field) => sum + field.rewrapped, 0)
    const unreadable = fields.reduce((sum, field) => sum + field.unreadable, 0)
    const { primary, total, behind } = yield* call("countSecrets", {})
    if (behind <= unreadable || pass === passes) return { primary, total, rewrapped, behind, unreadable }
  }
})

const rotate = Command.make("rotate", { json }, ({ json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const count = { name: "countSecrets", input: {} } as const
      const summary = yield* withStore(configuration, count, ({ behind }, call) =>
        Effect.scoped(Effect.flatMap(countingRows("keyring", behind), (advance) => rotateAll(call, advance)))
      ).pipe(untilStopped)
      if (json) yield* printJson(summary)
      else
        yield* print(
          columns([
            ["primary key", summary.primary],
            ["secrets", String(summary.total)],
            ["re-encrypted", String(summary.rewrapped)],
            ["by other keys", String(summary.behind)]
          ])
        )
      if (summary.unreadable > 0)
        return yield* failed(
          exitCode.failure,
          `No key of the keyring decrypts ${summary.unreadable} secrets: add the key that encrypted them, and repeat`
        )
      if (summary.behind > 0)
        return yield* failed(
          exitCode.temporary,
          `${summary.behind} secrets were encrypted by another key meanwhile: restart the processes whose keyring is older, and repeat`
        )
    })
  )
).pipe(
  Command.withDescription(
    "Re-encrypt every stored secret with the first key of the keyring, while servers run. If it is interrupted, run it again."
  ),
  Command.withExamples([
    {
      command: "GATEWARDEN_KEYRING=k2:…,k1:… gatewarden keyring rotate",
      description: "Re-encrypt with k2 what k1 encrypted"
    }
  ])
)

export const keyring = Command.make("keyring").pipe(
  Command.withDescription("The keys that encrypt secrets."),
  Command.withExamples([
    {
      command: "GATEWARDEN_KEYRING=k2:…,k1:… gatewarden keyring rotate",
      description: "Re-encrypt with k2 what k1 encrypted"
    }
  ]),
  Command.withSubcommands([rotate])
)
