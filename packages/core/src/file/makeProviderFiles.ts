/**
 * A client of the file APIs of providers over HTTP.
 *
 * Rule: files#provider-storage. Source: OWASP API10: a provider's response is as untrusted as a caller's request, so it is bounded in time
 * and size, parsed strictly, and never repeated. Redirects are not followed, because they would send the key elsewhere.
 */
import type { FileProvider, StoredFile } from "@gatewarden/contract"
import { Effect, Option, Redacted, Stream } from "effect"
import type * as z from "zod"
import { UpstreamFailed } from "../failure.ts"
import { parseJson } from "../value/parseJson.ts"
import type { Fetch } from "../platform/Fetch.ts"
import { Entropy } from "../platform/Entropy.ts"
import { sendRequest, type SentRequest, type SentStream } from "../platform/sendRequest.ts"
import { providerDialects } from "./providerDialects.ts"
import type { NewFile, ProviderAccess, ProviderFileStores } from "./ProviderFiles.ts"
import { typeOfName } from "./typeOfName.ts"

export interface ProviderFilesOptions {
  readonly fetch: Fetch
  /** Replaces the providers' own addresses; `/v1/files` is appended. */
  readonly baseUrls?: Partial<Record<FileProvider, string>> | undefined
  /** Time limit of a request, except uploads. Default 30 seconds. */
  readonly timeoutMillis?: number | undefined
  /** Time limit of an upload. Default 2 minutes. */
  readonly uploadTimeoutMillis?: number | undefined
}

const maxAnswerBytes = 262_144

const failed = new UpstreamFailed({ reason: "provider_failed" })

const utf8 = new TextEncoder()

/** A name or value within a header of a part (HTML standard, multipart/form-data encoding algorithm). */
const quoted = (text: string): string =>
  `"${text.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22")}"`

/** A form of fields and one file, as a stream: the file is never in memory as a whole. */
const formOf = (
  fields: Readonly<Record<string, string>>,
  { filename, mime_type, size_bytes, content }: NewFile,
  boundary: string
): { readonly contentType: string; readonly body: SentStream } => {
  const partOf = (disposition: string, more = "") =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`
  const before = Object.entries(fields).map(([name, value]) => `${partOf(`name=${quoted(name)}`)}${value}\r\n`)
  const head = partOf(`name="file"; filename=${quoted(filename)}`, `Content-Type: ${mime_type}\r\n`)
  const [start, end] = [utf8.encode(before.join("") + head), utf8.encode(`\r\n--${boundary}--\r\n`)]
  const bytes = Stream.concat(Stream.concat(Stream.succeed(start), content), Stream.succeed(end))
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: { bytes, length: start.length + size_bytes + end.length }
  }
}

export const makeProviderFiles = (options: ProviderFilesOptions): ProviderFileStores => {
  const timeoutMillis = options.timeoutMillis ?? 30_000

  const send = (
    { provider, key }: ProviderAccess,
    path: string,
    {
      headers,
      ...request
    }: Omit<SentRequest, "url" | "maxBytes" | "timeoutMillis"> & { readonly timeoutMillis?: number }
  ) => {
    const dialect = providerDialects[provider]
    const baseUrl = options.baseUrls?.[provider] ?? dialect.baseUrl
    return sendRequest(options.fetch, {
      timeoutMillis,
      maxBytes: maxAnswerBytes,
      ...request,
      url: `${baseUrl.replace(/\/+$/, "")}/v1/files${path}`,
      headers: { accept: "application/json", ...dialect.headers(Redacted.value(key)), ...headers }
    }).pipe(Effect.catchTag("RequestFailed", () => Effect.fail(failed)))
  }

  const read = <A>(schema: z.ZodType<A>, body: Uint8Array): Effect.Effect<A, UpstreamFailed> => {
    const json = parseJson(body)
    const parsed = json.ok ? schema.safeParse(json.value) : undefined
    return parsed?.success ? Effect.succeed(parsed.data) : Effect.fail(failed)
  }

  /** `known`: the type of the content, if it was detected. */
  const readFile = (
    provider: FileProvider,
    body: Uint8Array,
    known?: string
  ): Effect.Effect<StoredFile, UpstreamFailed> =>
    Effect.map(read(providerDialects[provider].file, body), ({ mime_type, ...facts }) => ({
      type: "file" as const,
      ...facts,
      mime_type: mime_type ?? known ?? typeOfName(facts.filename)
    }))

  return {
    upload: Effect.fnUntraced(function* (access, file) {
      const { mime_type } = file
      const { contentType, body } = formOf(providerDialects[access.provider].fields, file, (yield* Entropy).uuid())
      const answer = yield* send(access, "", {
        method: "POST",
        headers: { "content-type": contentType },
        body,
        timeoutMillis: options.uploadTimeoutMillis ?? 120_000
      })
      if (answer.status < 200 || answer.status > 299) return yield* failed
      return yield* readFile(access.provider, answer.body, mime_type)
    }),
    find: Effect.fnUntraced(function* (access, id) {
      const answer = yield* send(access, `/${id}`, { method: "GET" })
      if (answer.status === 404) return Option.none()
      if (answer.status !== 200) return yield* failed
      const file = yield* readFile(access.provider, answer.body)
      return file.id === id ? Option.some(file) : yield* failed
    }),
    remove: Effect.fnUntraced(function* (access, id) {
      const answer = yield* send(access, `/${id}`, { method: "DELETE" })
      if (answer.status === 404) return false
      if (answer.status !== 200) return yield* failed
      const deleted = yield* read(providerDialects[access.provider].deleted, answer.body)
      return deleted === id ? true : yield* failed
    })
  }
}
