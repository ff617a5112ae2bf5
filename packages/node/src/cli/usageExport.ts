/** `gatewarden usage export`. */
import { type UsageEventFilter, UsageStatus, usageEventFilter } from "@gatewarden/contract/internal"
import { eventFormatOf } from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandLine, print, printJson } from "../control/CommandLine.ts"
import type { OutputOf } from "../control/storeCommands.ts"
import { type CallStore, withStore } from "../control/withStore.ts"
import { type Failed, failed } from "../failure/Failed.ts"
import { describeIssues } from "../failure/describeIssues.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import { type ExportFormat, exportFile, exportFormats, headerOf } from "../usage/exportFile.ts"
import { columns } from "./columns.ts"
import { writeFocus } from "./exportFocus.ts"
import { account, csvSafe, json, textOr } from "./flags.ts"
import { showProgress } from "./showProgress.ts"
import { untilStopped } from "./untilStopped.ts"
import { withConfiguration } from "./withConfiguration.ts"

const stdout = "-"

const optional = (name: string, meaning: string) => Flag.String(name).pipe(Flag.withDescription(meaning), Flag.optional)

const filterFlags = {
  start: optional("start", "Only events whose time is not before this one, such as 2026-03-01T00:00:00Z."),
  end: optional("end", "Only events before this time. Default: the time at which the export begins."),
  workspace_id: optional("workspace", "Only events of this workspace, by id."),
  api_key_hash: optional("key", "Only events of the key with this hash."),
  user_id: optional("user", "Only events of this user."),
  external_user: optional("external-user", "Only events of this external user."),
  model: optional("model", "Only events of this model, by canonical slug, with a variant or with all."),
  provider: optional("provider", "Only events of this provider."),
  endpoint_tag: optional("endpoint", "Only events of the endpoint with this tag."),
  guardrail_id: optional("guardrail", "Only events that this guardrail refused, by id."),
  app: optional("app", "Only events of this app."),
  session_id: optional("session", "Only events of this session."),
  status: Flag.Literals("status", UsageStatus.options).pipe(
    Flag.withDescription("Only events with this status."),
    Flag.optional
  ),
  classifier: optional("classifier", "Only events with a tag of this classifier."),
  dimension: optional("dimension", "Only events with a tag of this dimension of the classifier."),
  value: optional("value", "Only events whose tag of the dimension is this text.")
}

const readFilter = (flags: Readonly<Record<string, Option.Option<string>>>) => {
  const given = Object.entries(flags).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  const read = usageEventFilter.safeParse(Object.fromEntries(given))
  return read.success ? Effect.succeed(read.data) : failed("usage", ...describeIssues(read.error))
}

/** The format of the flag, otherwise of the file name's extension. */
const formatOf = (out: string, flag: Option.Option<ExportFormat>) => {
  if (Option.isSome(flag)) return Effect.succeed(flag.value)
  const end = /\.([^./]+)$/.exec(out)?.[1]?.toLowerCase() ?? ""
  const known = end === "jsonl" ? "ndjson" : exportFormats.find((format) => format === end)
  return known === undefined
    ? failed("usage", `The name of ${out} does not say its format: add --format ndjson, csv, parquet or focus`)
    : Effect.succeed(known)
}

/** Reads the export a stretch at a time; a stretch is written before the next one is read. */
const writeAll = Effect.fnUntraced(function* <E, R>(
  { account_id, end }: OutputOf<"findUsageExport">,
  asked: UsageEventFilter,
  format: ReturnType<typeof eventFormatOf>,
  call: CallStore,
  write: (text: string) => Effect.Effect<void, E, R>,
  progress: (rows: number, bytes: number) => void
) {
  const filter = { ...asked, end }
  let place: OutputOf<"exportUsage">["next"]
  let rows = 0
  let bytes = 0
  do {
    const stretch: OutputOf<"exportUsage"> = yield* call("exportUsage", {
      account_id,
      filter,
      format,
      ...(place === undefined ? {} : { place })
    })
    yield* write(stretch.text)
    rows += stretch.events
    bytes += stretch.text.length
    progress(rows, bytes)
    place = stretch.next
  } while (place !== undefined)
  return rows
})

/** Done when the reader has taken it: no more than a stretch waits for one that is slow. */
const toStdout = (text: string) =>
  Effect.flatMap(CommandLine, ({ stdout }) =>
    Effect.callback<void, Failed>((resume) => {
      stdout.write(text, (error) =>
        resume(error == null ? Effect.void : fileFailure("The standard output cannot be written", error))
      )
    })
  )

export const usageExport = Command.make(
  "export",
  {
    account,
    out: Flag.String("out").pipe(
      Flag.withDescription("File to write, in place of one that is there; - is the standard output, not for Parquet.")
    ),
    format: Flag.Literals("format", exportFormats).pipe(
      Flag.withDescription("Format of the file. Default: by the end of its name. focus: charges as CSV of FOCUS 1.3."),
      Flag.optional
    ),
    issuer: textOr("issuer", "With --format focus: who issues your invoices.", "Gatewarden"),
    csvSafe,
    json,
    ...filterFlags
  },
  ({ account, out, format: formatFlag, issuer, csvSafe, json, ...flags }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const format = yield* formatOf(out, formatFlag)
        const filter = yield* readFilter(flags)
        if (out === stdout && format === "parquet")
          return yield* failed("usage", "A Parquet file cannot be written to the standard output")
        const printed = eventFormatOf(format === "csv" ? "csv" : "ndjson", csvSafe)
        const commandLine = yield* CommandLine
        const show = yield* showProgress(out === stdout ? "export" : out, commandLine.stderr)
        const progress = (rows: number, bytes: number) => show({ rows, bytes, size: undefined })
        const first = { name: "findUsageExport", input: { account, filter } } as const
        const events = yield* withStore(configuration, first, (found, call) =>
          Effect.gen(function* () {
            const { account_id, end } = found
            const bill = { account_id, account, issuer }
            const asked = { bill, filter: { ...filter, end }, isSafe: csvSafe }
            const fill = <E, R>(write: (text: string) => Effect.Effect<void, E, R>) =>
              format === "focus"
                ? writeFocus(asked, call, write, progress)
                : writeAll(found, filter, printed, call, write, progress)
            if (out !== stdout || format === "parquet") return yield* exportFile(out, format, fill)
            yield* toStdout(headerOf(format))
            return yield* fill(toStdout)
          })
        )
        if (out === stdout) return
        const unit = format === "focus" ? "rows" : "events"
        if (json) yield* printJson({ file: out, format, [unit]: events })
        else
          yield* print(
            columns([
              ["FILE", "FORMAT", unit.toUpperCase()],
              [out, format, String(events)]
            ])
          )
      }).pipe(Effect.scoped, untilStopped)
    )
).pipe(
  Command.withDescription(
    "Export usage events to a file, in the order of their time. It appears under its name when it is complete. NDJSON, CSV and Parquet can be imported again."
  ),
  Command.withExamples([
    { command: "gatewarden usage export --out events.ndjson", description: "Every event of the default account" },
    {
      command: "gatewarden usage export --out march.parquet --start 2026-03-01T00:00:00Z --end 2026-04-01T00:00:00Z",
      description: "A month, for tools that read Parquet"
    },
    {
      command:
        "gatewarden usage export --format focus --out march.csv --start 2026-03-01T00:00:00Z --end 2026-04-01T00:00:00Z",
      description: "The charges of a month, for FinOps tools"
    },
    { command: "gatewarden usage export --format csv --user anna --out -", description: "To standard output" }
  ])
)
