/** `gatewarden usage …`. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { CommandLine, print, printJson } from "../control/CommandLine.ts"
import { withStore } from "../control/withStore.ts"
import { failed } from "../failure/Failed.ts"
import { removeState, statePath } from "../usage/ImportState.ts"
import { type ImportReport, type ImportSource, importFile } from "../usage/importFile.ts"
import { openFile, openStream } from "../usage/openInput.ts"
import { columns } from "./columns.ts"
import { account, csvSafe, json, textOr } from "./flags.ts"
import { showProgress } from "./showProgress.ts"
import { usageExport } from "./usageExport.ts"
import { usageMove } from "./usageMove.ts"
import { usageReconcile } from "./usageReconcile.ts"
import { withConfiguration } from "./withConfiguration.ts"

const stdin = "-"

const formats = { csv: "csv", ndjson: "ndjson", jsonl: "ndjson", parquet: "parquet" } as const
type Format = (typeof formats)[keyof typeof formats]

const isFormat = (name: string): name is keyof typeof formats => Object.hasOwn(formats, name)

const withoutGzip = (path: string): string => path.replace(/\.gz$/i, "")

/** The format of the flag, otherwise of the file name's extension. */
const formatOf = (path: string, flag: Option.Option<Format>) => {
  if (Option.isSome(flag)) return flag.value
  const end = /\.([^./]+)$/.exec(withoutGzip(path))?.[1]?.toLowerCase() ?? ""
  return isFormat(end) ? formats[end] : undefined
}

interface Flags {
  readonly format: Option.Option<Format>
  readonly rejects: Option.Option<string>
  readonly source: Option.Option<string>
  readonly csvSafe: boolean
}

const sourceOf = Effect.fnUntraced(function* (path: string, { format, rejects, source, csvSafe }: Flags) {
  const known = formatOf(path, format)
  if (known === undefined)
    return yield* failed("usage", `The name of ${path} does not say its format: add --format ndjson, csv or parquet`)
  const { stdin: stream } = yield* CommandLine
  const isFile = yield* Effect.promise(() =>
    stat(path).then(
      (status) => status.isFile(),
      () => true
    )
  )
  const isResumable = path !== stdin && isFile
  if (known === "parquet" && !isResumable)
    return yield* failed("usage", `A Parquet file is read from its end: ${path} is no file`)
  return {
    path,
    source: Option.getOrElse(source, () => (isResumable ? withoutGzip(basename(path)) : "stdin")),
    format: known,
    isCsvSafe: csvSafe,
    rejectsPath: Option.getOrElse(rejects, () => `${isResumable ? path : "stdin"}.rejects.ndjson`),
    open: () => (path === stdin ? Promise.resolve(openStream(stream)) : openFile(path)),
    isResumable
  } satisfies ImportSource
})

const printed = ({ path, rejectsPath }: ImportSource, report: ImportReport) => ({
  file: path,
  ...report,
  rows_per_second: report.seconds === 0 ? null : Math.round((report.records - report.resumed_at) / report.seconds),
  rejects_file: report.rejected === 0 ? null : rejectsPath
})

const interrupted = failed("interrupted", "Interrupted; run the same command again, and it continues")

const usageImport = Command.make(
  "import",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("NDJSON or CSV, gzip or plain, or Parquet; - is the standard input, not for Parquet."),
      Argument.atLeast(1)
    ),
    account,
    workspace: textOr(
      "workspace",
      "Workspace, by id or slug, of events that name no workspace and no key of one.",
      "default"
    ),
    format: Flag.Literals("format", ["ndjson", "csv", "parquet"]).pipe(
      Flag.withDescription("Format of the files. Default: by the end of the file's name."),
      Flag.optional
    ),
    rejects: Flag.String("rejects").pipe(
      Flag.withDescription("File for records that cannot be imported. Default: FILE.rejects.ndjson."),
      Flag.optional
    ),
    source: Flag.String("source").pipe(
      Flag.withDescription("Name of the source in the ids of events that have none. Default: the file's name."),
      Flag.optional
    ),
    ignoreWorkspaces: Flag.Boolean("ignore-workspaces").pipe(
      Flag.withDescription(
        "Record every event as if it named no workspace, such as those that another installation exported."
      ),
      Flag.withDefault(false)
    ),
    csvSafe,
    json
  },
  ({ files, account, workspace, ignoreWorkspaces, json, ...flags }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        if (files.length > 1 && (Option.isSome(flags.rejects) || Option.isSome(flags.source)))
          return yield* failed("usage", "--rejects and --source need exactly one file")
        if (new Set(files).size < files.length) return yield* failed("usage", "The command names the same file twice")
        const { stderr, stopped } = yield* CommandLine
        const sources = yield* Effect.forEach(files, (path) => sourceOf(path, flags))
        const target = { name: "findUsageTarget", input: { account, workspace } } as const
        const importAll = withStore(configuration, target, (found, call) =>
          Effect.forEach(sources, (source) =>
            Effect.gen(function* () {
              const show = yield* showProgress(source.path, stderr)
              const to = { ...found, ignore_workspaces: ignoreWorkspaces }
              const report = yield* importFile(source, to, call, {
                progress: ({ records, bytes, size }) => show({ rows: records, bytes, size }),
                warn: (line) => void stderr.write(`gatewarden: warning: ${line}\n`)
              })
              return printed(source, report)
            }).pipe(Effect.scoped)
          )
        )
        const reports = yield* Effect.raceFirst(importAll, Effect.andThen(stopped, Effect.fail(interrupted)))
        // All files are done: the state, with which a second run skips finished files, is no longer needed.
        yield* Effect.promise(() => Promise.all(sources.map(({ path }) => removeState(statePath(path)))))
        if (json) yield* printJson({ files: reports })
        else
          yield* print(
            columns([
              ["FILE", "RECORDS", "ACCEPTED", "DUPLICATES", "REJECTED", "SECONDS", "ROWS/S"],
              ...reports.map((report) => [
                report.file,
                String(report.records),
                String(report.accepted),
                String(report.duplicates),
                String(report.rejected),
                report.seconds.toFixed(1),
                String(report.rows_per_second ?? "")
              ])
            ])
          )
        const rejected = reports.flatMap(({ rejected, rejects_file }) =>
          rejects_file === null ? [] : [`${rejected} records were not imported: ${rejects_file} says which and why`]
        )
        if (rejected.length > 0) return yield* failed("failure", ...rejected)
      })
    )
).pipe(
  Command.withDescription(
    "Import usage events from files. Each id is recorded once; an interrupted import continues when you run it again."
  ),
  Command.withExamples([
    { command: "gatewarden usage import events.ndjson", description: "From one file" },
    { command: "gatewarden usage import march.parquet", description: "From a Parquet file" },
    { command: "gatewarden usage import --format csv - < events.csv", description: "From standard input" }
  ])
)

export const usage = Command.make("usage").pipe(
  Command.withDescription("Usage events."),
  Command.withExamples([
    { command: "gatewarden usage import events.ndjson", description: "Import usage events of the past" },
    { command: "gatewarden usage export --out march.parquet --start 2026-03-01T00:00:00Z", description: "Export them" }
  ]),
  Command.withSubcommands([usageImport, usageExport, usageMove, usageReconcile])
)
