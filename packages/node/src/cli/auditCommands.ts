/** `gatewarden audit …`: what was changed, and whether the record of it is whole. */
import { type PrintedAuditEntry, nouns } from "@gatewarden/contract/internal"
import type { AuditProof, AuditVerdict } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { failed } from "../failure/Failed.ts"
import { columns, printable } from "./columns.ts"
import { account, json } from "./flags.ts"
import { withConfiguration } from "./withConfiguration.ts"

const toldOf = (broken: AuditVerdict["broken"][number]): string =>
  broken.problem === "inserted"
    ? printable(`-  ${broken.noun}.${broken.action} of ${broken.entity} was inserted, or its seal was removed`)
    : broken.problem === "edited"
      ? `${broken.position}  was edited or inserted`
      : `${broken.position}  is missing`

/** What hashes and a signature in the same database cannot show. */
const unknown = ({ removed, signed }: Pick<AuditProof, "removed" | "signed">): readonly string[] => [
  "This does not show whether the log was put back to an earlier state and written anew from there. Keep position and hash elsewhere and compare them.",
  ...(signed !== null && signed.since > 1
    ? [`Changes up to ${signed.since} were sealed before the first signature, or the signature before it was removed.`]
    : []),
  ...(removed > 0 ? [`It does not show who removed the oldest ${removed}: retention does.`] : [])
]

/** "key CI (894143ae2e17)". */
const actorOf = ({ type, id, name }: PrintedAuditEntry["actor"]): string => {
  if (id === null) return type
  const short = id.slice(0, 12)
  return `${type} ${name === null ? short : `${name} (${short})`}`
}

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const list = Command.make(
  "list",
  {
    account,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("At most how many, 1 to 1000; fewer if they are large. Default: 50."),
      Flag.withDefault(50)
    ),
    below: Flag.Int("below").pipe(
      Flag.withDescription("Only changes before this position: `next` of the page before."),
      Flag.optional
    ),
    noun: Flag.Literals("noun", nouns).pipe(Flag.withDescription("Only changes of this kind of thing."), Flag.optional),
    actor: text("actor", "Only changes by this actor: the hash of a key, a user, or a type such as operator."),
    entity: text("entity", "Only changes of this entity."),
    operation: text("operation", "Only changes that this operation made."),
    from: text("from", "Not before this time, such as 2026-01-05T00:00:00Z."),
    to: text("to", "Before this time."),
    json
  },
  ({ json, account, limit, ...filter }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const sent = Object.fromEntries(
          Object.entries<Option.Option<string | number>>(filter).flatMap(([name, value]) =>
            Option.isSome(value) ? [[name, value.value]] : []
          )
        )
        const { entries, next } = yield* callStore(configuration, "listAuditLog", { account, limit, ...sent })
        if (json) return yield* printJson({ entries, next })
        const header = ["POSITION", "AT", "WHAT", "ACTOR", "OPERATION", "ENTITY", "NAME"]
        const rows = entries.map(({ position, at, noun, action, actor, operation, entity, entity_name }) => [
          String(position),
          at,
          `${noun}.${action}`,
          actorOf(actor),
          operation ?? "-",
          entity,
          entity_name ?? ""
        ])
        yield* print(columns([header, ...rows]))
        if (next !== null) yield* print(`There may be earlier ones: --below ${next}`)
      })
    )
).pipe(
  Command.withDescription("List changes of an account's configuration, the latest first."),
  Command.withExamples([
    { command: "gatewarden audit list --noun key", description: "Who created, changed or deleted keys" },
    {
      command: "gatewarden audit list --actor operator --json",
      description: "What the command line did, with before and after"
    }
  ])
)

const verify = Command.make("verify", { account, json }, ({ account, json }) =>
  withConfiguration((configuration) =>
    Effect.gen(function* () {
      const verdict = yield* callStore(configuration, "verifyAuditLog", { account })
      const { verified, head, removed, signed, is_signature_unreadable, unsigned, broken } = verdict
      const isAltered = broken.length > 0 || is_signature_unreadable || unsigned > 0
      if (json) yield* printJson(verdict)
      else if (!isAltered) {
        yield* print(
          columns([
            ["verified", String(verified)],
            ["last position", String(head?.position ?? 0)],
            ["hash", head?.hash ?? "-"],
            ["signed up to", String(signed?.position ?? 0)],
            ["signed since", String(signed?.since ?? 0)],
            ["removed as old", String(removed)]
          ])
        )
        for (const line of unknown(verdict)) yield* print(line)
      }
      if (isAltered)
        return yield* failed(
          "failure",
          "The audit log was altered:",
          ...broken.map(toldOf),
          ...(is_signature_unreadable
            ? ["-  no key of the keyring has signed the end of the chain"]
            : unsigned > 0
              ? [`-  the last ${unsigned} changes are not signed: somebody keeps Gatewarden from signing them`]
              : [])
        )
    })
  )
).pipe(
  Command.withDescription(
    "Recompute the chain of hashes over an account's changes. Keep the hash elsewhere: it shows later that nothing up to there was rewritten."
  ),
  Command.withExamples([{ command: "gatewarden audit verify", description: "Exit code 1 when a change was altered" }])
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("What was changed, by whom, and whether the record of it is whole."),
  Command.withExamples([
    { command: "gatewarden audit list", description: "The latest changes of the default account" },
    { command: "gatewarden audit verify", description: "Whether any of them was altered" }
  ]),
  Command.withSubcommands([list, verify])
)
