/** A catalog or a public model list from a file or a URL. */
import type { PutCatalog } from "@gatewarden/contract/internal"
import { type Fetch, sendRequest } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type * as z from "zod"
import { checkCatalog, maxCatalogFileBytes, parseCatalog, readCatalogFile } from "../config/readCatalog.ts"
import { ModelList, modelsOfList } from "../control/modelsOfList.ts"
import { failed } from "../failure/Failed.ts"

export interface CatalogSource {
  /** As the source has it, for another process. */
  readonly sent: z.input<typeof PutCatalog>
  /** The source is a public model list: other endpoints of its models stay. */
  readonly isList: boolean
  readonly skipped: readonly string[]
}

const timeoutMillis = 60_000

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source)

const download = Effect.fnUntraced(function* (fetch: Fetch, url: string) {
  const answer = yield* Effect.mapError(
    sendRequest(fetch, {
      url,
      method: "GET",
      headers: { accept: "application/json" },
      timeoutMillis,
      maxBytes: maxCatalogFileBytes
    }),
    () =>
      failed(
        "file",
        `${url} cannot be read: no public address, no complete answer within a minute, or more than 64 MiB`
      )
  )
  if (answer.status !== 200) return yield* failed("file", `${url} answers ${answer.status} instead of 200`)
  return answer.body
})

/** Fails if the source cannot be read, or is neither a catalog nor a list of models. */
export const readSource = Effect.fnUntraced(function* (fetch: Fetch, source: string, provider: string | undefined) {
  const bytes = isUrl(source) ? yield* download(fetch, source) : yield* readCatalogFile(source, "file")
  const value = yield* parseCatalog(source, bytes, "file")
  const list = ModelList.safeParse(value)
  const { models, skipped } = list.success ? modelsOfList(list.data, provider) : { models: undefined, skipped: [] }
  // What the schema accepts is an input of it.
  const sent = (models === undefined ? value : { models }) as CatalogSource["sent"]
  yield* checkCatalog(source, sent, "file")
  if (!list.success && provider !== undefined)
    return yield* failed("usage", "--provider is for a public model list; this file names the providers itself")
  return { sent, isList: list.success, skipped } satisfies CatalogSource
})
