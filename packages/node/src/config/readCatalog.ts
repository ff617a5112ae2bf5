/**
 * A catalog file, checked as the body of the operation that puts a catalog.
 *
 * Rule: operating#catalog-at-start.
 */
import { PutCatalog } from "@gatewarden/contract"
import { parseJson } from "@gatewarden/core/effect"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type * as z from "zod"
import type { Fault } from "../exitCode.ts"
import { failed } from "../Failed.ts"
import { describeIssues } from "../cli/store/describeIssues.ts"

export interface CatalogFile {
  /** As the file has it, for another process. */
  readonly sent: z.input<typeof PutCatalog>
  readonly catalog: PutCatalog
}

/** Fails with `fault` when the file cannot be read or is no catalog: a variable names the file, or the command line. */
export const readCatalog = Effect.fnUntraced(function* (path: string, fault: Fault = "configuration") {
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(path),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
      return failed(fault, `The catalog ${path} cannot be read${code}`)
    }
  })
  const parsed = parseJson(bytes)
  if (!parsed.ok) return yield* failed(fault, `The catalog ${path} is not JSON: ${parsed.message}`)
  const result = PutCatalog.safeParse(parsed.value)
  if (!result.success) return yield* failed(fault, `The catalog ${path} is not usable`, ...describeIssues(result.error))
  // What the schema accepts is an input of it.
  return { sent: parsed.value as CatalogFile["sent"], catalog: result.data } satisfies CatalogFile
})
