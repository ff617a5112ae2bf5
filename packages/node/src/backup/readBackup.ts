/** A backup as it is read: its manifest, and its tables as a source whose every line was checked before. */
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describeIssues } from "../failure/describeIssues.ts"
import { failed } from "../failure/Failed.ts"
import { compareSizes } from "./fileContentLines.ts"
import { readLineFile } from "./lineFiles.ts"
import { Manifest, manifestFile, tableFile } from "./Manifest.ts"
import { isSameSum, summing } from "./TableSum.ts"
import type { TableSource } from "./transferTables.ts"

const reason = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "it is damaged"

/** Fails when there is no backup of a format that is known. */
export const readManifest = Effect.fnUntraced(function* (directory: string) {
  const path = join(directory, manifestFile)
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => failed("file", `${path} cannot be read (${reason(cause)}): is ${directory} a backup?`)
  })
  const value = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => failed("file", `${path} is damaged: it is not JSON`)
  })
  const parsed = Manifest.safeParse(value)
  if (parsed.success) return parsed.data
  return yield* failed("file", `${path} is not understood`, ...describeIssues(parsed.error))
})

const damaged = (table: string) => (cause: unknown) =>
  failed("file", `${tableFile(table)} cannot be read (${reason(cause)})`)

export const backupSource =
  (directory: string): TableSource =>
  (table, take) =>
    Effect.gen(function* () {
      const batches = readLineFile(join(directory, tableFile(table.name)))
      for (;;) {
        const next = yield* Effect.tryPromise({ try: () => batches.next(), catch: damaged(table.name) })
        if (next.done === true) return
        yield* take(next.value)
      }
    })

/** Fails with the first table that is not what the manifest says. Answers the ids of files whose content is missing or has another size. */
export const verifyBackup = Effect.fnUntraced(function* (directory: string, manifest: Manifest) {
  const sizes = compareSizes()
  for (const table of manifest.tables) {
    const { add, sum } = summing()
    yield* Effect.tryPromise({
      try: async () => {
        for await (const lines of readLineFile(join(directory, tableFile(table.name)))) {
          add(lines)
          sizes.add(table.name, table.columns, lines)
        }
      },
      catch: damaged(table.name)
    })
    if (!isSameSum(sum(), table))
      return yield* failed("file", `${tableFile(table.name)} is not what the manifest says; nothing was restored`)
  }
  return sizes.incomplete()
})
