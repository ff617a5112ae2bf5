/**
 * A client of the file APIs of providers over HTTP.
 *
 * Rule: files#provider-storage. Source: OWASP API10: a provider's response is as untrusted as a caller's request, so it is bounded in time
 * and size, parsed strictly, and never repeated. Redirects are not followed, because they would send the key elsewhere.
 */
import type { FileProvider, StoredFile } from "@gatewarden/contract/internal"
import { Effect, Option, Redacted, Stream } from "effect"
import type * as z from "zod"
import type { Caller } from "../access/Caller.ts"
import { localRegion, selectCredentials, sentKey } from "../byok/byok.ts"
import { Entropy } from "../platform/Entropy.ts"
import type { Fetch } from "../platform/Fetch.ts"
import { type SentRequest, type SentStream, openRequest, sendRequest } from "../platform/sendRequest.ts"
import { ByokCredentials, contextOfKey } from "../ports/byok.ts"
import { NotFound, UpstreamFailed } from "../value/failure.ts"
import { parseJson } from "../value/parseJson.ts"
import { withoutTrailingSlashes } from "../value/text.ts"
import { Vault } from "../vault/Vault.ts"
import type { NewFile, ProviderAccess, ProviderFileStores } from "./ProviderFiles.ts"
import { typeOfName } from "./fileTypes.ts"
import { type ProviderFileFacts, providerDialects, providerPage } from "./providerDialects.ts"

export interface ProviderFilesOptions {
  readonly fetch: Fetch
  /** Replaces the providers' own addresses; `/v1/files` is appended. */
  readonly baseUrls?: Partial<Record<FileProvider, string>> | undefined
  /** Time limit of a request, except uploads. Default 30 seconds. */
  readonly timeoutMillis?: number | undefined
  /** Time limit of an upload. Default 2 minutes. */
  readonly uploadTimeoutMillis?: number | undefined
  /** Time limit of a download, to its last byte; its first is awaited as that of any other answer. Default 10 minutes. */
  readonly downloadTimeoutMillis?: number | undefined
  /** Bytes of the largest download. Default 512 MiB, what a provider keeps at most. */
  readonly maxDownloadBytes?: number | undefined
}

const maxAnswerBytes = 262_144

/** What a page may add for each of its files, whose names have at most 500 characters at either provider. */
const maxListedBytes = 4_096

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

  const requestOf = ({ provider, key }: ProviderAccess, path: string, headers: SentRequest["headers"]) => {
    const dialect = providerDialects[provider]
    const baseUrl = options.baseUrls?.[provider] ?? dialect.baseUrl
    return {
      url: `${withoutTrailingSlashes(baseUrl)}/v1/files${path}`,
      headers: { accept: "application/json", ...dialect.headers(Redacted.value(key)), ...headers }
    }
  }

  const send = (
    access: ProviderAccess,
    path: string,
    {
      headers,
      ...request
    }: Omit<SentRequest, "url" | "maxBytes" | "timeoutMillis"> &
      Partial<Pick<SentRequest, "maxBytes" | "timeoutMillis">>
  ) =>
    sendRequest(options.fetch, {
      timeoutMillis,
      maxBytes: maxAnswerBytes,
      ...request,
      ...requestOf(access, path, headers)
    }).pipe(Effect.catchTag("RequestFailed", () => Effect.fail(failed)))

  const read = <A>(schema: z.ZodType<A>, body: Uint8Array): Effect.Effect<A, UpstreamFailed> => {
    const json = parseJson(body)
    return json.ok ? check(schema, json.value) : Effect.fail(failed)
  }
  const check = <A>(schema: z.ZodType<A>, value: unknown): Effect.Effect<A, UpstreamFailed> => {
    const parsed = schema.safeParse(value)
    return parsed.success ? Effect.succeed(parsed.data) : Effect.fail(failed)
  }

  /** `known`: the type of the content, if it was detected. */
  const printed = ({ mime_type, ...facts }: ProviderFileFacts, known?: string): StoredFile => ({
    type: "file" as const,
    ...facts,
    mime_type: mime_type ?? known ?? typeOfName(facts.filename)
  })
  const readFile = (
    provider: FileProvider,
    body: Uint8Array,
    known?: string
  ): Effect.Effect<StoredFile, UpstreamFailed> =>
    Effect.map(read(providerDialects[provider].file, body), (facts) => printed(facts, known))

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
    list: Effect.fnUntraced(function* (access, { after, limit }) {
      const { file, pageQuery } = providerDialects[access.provider]
      const answer = yield* send(access, `?${new URLSearchParams(pageQuery(limit, after)).toString()}`, {
        method: "GET",
        maxBytes: maxAnswerBytes + limit * maxListedBytes
      })
      // Nothing else of the request can be wrong.
      if (after !== undefined && (answer.status === 400 || answer.status === 404)) return undefined
      if (answer.status !== 200) return yield* failed
      const { data, has_more } = yield* read(providerPage, answer.body)
      const files = (yield* Effect.forEach(data, (one) => check(file, one))).map((facts) => printed(facts))
      // Who follows such pages would never reach an end.
      const isStuck = (has_more && files.length === 0) || files.some(({ id }) => id === after)
      return files.length > limit || isStuck ? yield* failed : { files, has_more }
    }),
    find: Effect.fnUntraced(function* (access, id) {
      const answer = yield* send(access, `/${id}`, { method: "GET" })
      if (answer.status === 404) return Option.none()
      if (answer.status !== 200) return yield* failed
      const file = yield* readFile(access.provider, answer.body)
      return file.id === id ? Option.some(file) : yield* failed
    }),
    content: Effect.fnUntraced(function* (access, id) {
      const answer = yield* openRequest(options.fetch, {
        ...requestOf(access, `/${id}/content`, { accept: "application/octet-stream" }),
        method: "GET",
        timeoutMillis,
        wholeTimeoutMillis: options.downloadTimeoutMillis ?? 600_000,
        maxBytes: options.maxDownloadBytes ?? 536_870_912
      }).pipe(Effect.catchTag("RequestFailed", () => Effect.fail(failed)))
      if (answer.status === 200) return answer.body
      yield* Effect.promise(() => answer.body.cancel())
      if (answer.status === 404) return "unknown"
      // The request names a file and nothing else, so it is the file that the provider does not give.
      return answer.status === 400 ? "kept_back" : yield* failed
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

/**
 * The key with which a caller uses a provider's file API: the first usable credential of its workspace. A credential that is restricted to
 * models is not usable, because a file belongs to no model, nor is one of an account in a region, whose files lie at another address. 404
 * `no_byok_credential` without one
 * (Rule: files#provider-storage).
 */
export const accessProvider = Effect.fnUntraced(function* (
  caller: Caller,
  workspace_id: string,
  provider: FileProvider
) {
  const sealed = yield* (yield* ByokCredentials).sealed(caller.account_id, workspace_id, provider)
  const usable = sealed.filter(({ declared_region }) => localRegion(declared_region) === undefined)
  const [first] = selectCredentials(usable, { api_key_hash: caller.key_hash, user_id: caller.user_id, models: [] })
  if (first === undefined) return yield* new NotFound({ reason: "no_byok_credential" })
  // A key that the keyring cannot decrypt is a fault of the installation, not of the request.
  const key = yield* Effect.orDie((yield* Vault).open(first.sealed_key, contextOfKey(caller.account_id, first)))
  return { provider, key: sentKey(provider, key) } satisfies ProviderAccess
})
