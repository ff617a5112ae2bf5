/** `gatewarden keyring …`. Rule: secrets#keyring-rotation. */
import { type SealedField, sealedFields } from "@gatewarden/core/internal"
import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import { print, printJson } from "../control/CommandLine.ts"
import type { InputOf, OutputOf } from "../control/storeCommands.ts"
import { type CallStore, withStore } from "../control/withStore.ts"
import { failed } from "../failure/Failed.ts"
import { isUnmade, keyringOf } from "../store/openStore.ts"
import { columns } from "./columns.ts"
import { type Advance, countingRows } from "./countingRows.ts"
import { json } from "./flags.ts"
import { untilStopped } from "./untilStopped.ts"
import { withConfiguration } from "./withConfiguration.ts"

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

/** Refuses while a process encrypts with another key: what it writes later could not be decrypted once that key is removed. */
const requireSameKey = (primary: string, { processes }: OutputOf<"countSecrets">) => {
  const others = processes.filter(({ key_ids }) => key_ids[0] !== primary)
  return others.length === 0
    ? Effect.void
    : Effect.fail(
        failed(
          "busy",
          `These processes do not encrypt with "${primary}", the first key of this command's keyring. ` +
            "Restart each with the same keyring, and repeat. A killed process is listed for another minute.",
          ...others.map(
            ({ id, host, pid, key_ids, started_at }) =>
              `${pid === null ? "instance" : `process ${pid}`}${host === "" ? "" : ` on ${host}`} ` +
              `(instance ${id}, started ${started_at}) has the keys ${key_ids.join(", ")}`
          )
        )
      )
}

/** Repeats passes over all secrets until every one that can be decrypted is encrypted with the primary key. */
const rotateAll = Effect.fnUntraced(function* (call: CallStore, expected: string, advance: Advance) {
  let rewrapped = 0
  for (let pass = 1; ; pass++) {
    const fields = yield* Effect.forEach(sealedFields, (field) => rotateField(call, field, advance))
    rewrapped += fields.reduce((sum, field) => sum + field.rewrapped, 0)
    const unreadable = fields.reduce((sum, field) => sum + field.unreadable, 0)
    const counted = yield* call("countSecrets", {})
    yield* requireSameKey(expected, counted)
    const { primary, total, behind } = counted
    if (behind <= unreadable || pass === passes) return { primary, total, rewrapped, behind, unreadable }
  }
})

/** Admissions from before the change are signed with the former key: a settlement after its removal gets 404 `unknown_admission`. */
const keptOf = Effect.fnUntraced(function* (primary: string, ids: Iterable<string>, keepHolds: number) {
  const keep = [...ids].filter((id) => id !== primary)
  const until = new Date((yield* Clock.currentTimeMillis) + keepHolds * 1_000).toISOString()
  return keep.length === 0 ? {} : { keep, keep_until: until }
})

const keepText = (keep: readonly string[], until: string): string =>
  `\nKeep ${keep.join(", ")} in the keyring until all admissions from before the change are settled or cancelled, ` +
  `at the latest until ${until.slice(0, 10)}. They are signed with it: once it is removed, their settlement gets 404 unknown_admission.`

const rotate = Command.make("rotate", { json }, ({ json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const count = { name: "countSecrets", input: {} } as const
      // A server that holds the store runs the command with its own keyring. The operator means the one that the command reads.
      const here = isUnmade(configuration) ? undefined : yield* keyringOf(configuration)
      const summary = yield* withStore(configuration, count, (counted, call) => {
        const expected = here?.primary.id ?? counted.primary
        const rotating = Effect.flatMap(countingRows("keyring", counted.behind), (advance) =>
          rotateAll(call, expected, advance)
        )
        return Effect.andThen(requireSameKey(expected, counted), Effect.scoped(rotating))
      }).pipe(untilStopped)
      const isDone = summary.behind === 0 && summary.unreadable === 0
      const ids = isDone ? (here?.byId.keys() ?? []) : []
      const kept = yield* keptOf(summary.primary, ids, configuration.values.GATEWARDEN_KEEP_HOLDS)
      if (json) yield* printJson({ ...summary, ...kept })
      else {
        yield* print(
          columns([
            ["primary key", summary.primary],
            ["secrets", String(summary.total)],
            ["re-encrypted", String(summary.rewrapped)],
            ["by other keys", String(summary.behind)]
          ])
        )
        if (kept.keep !== undefined) yield* print(keepText(kept.keep, kept.keep_until))
      }
      if (summary.unreadable > 0)
        return yield* failed(
          "keyring",
          `No key of the keyring decrypts ${summary.unreadable} secrets: add the key that encrypted them, and repeat`
        )
      if (summary.behind > 0)
        return yield* failed(
          "busy",
          `${summary.behind} secrets were encrypted by another key meanwhile: restart the processes whose keyring is older, and repeat`
        )
    })
  )
).pipe(
  Command.withDescription(
    "Re-encrypt every stored secret with the first key of the keyring, while servers run. If it is interrupted, run it again. " +
      "Keep the former key until admissions from before the change are settled or cancelled; the command prints the last date."
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
