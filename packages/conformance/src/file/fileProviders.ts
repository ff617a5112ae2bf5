/**
 * Upstream file stores on loopback: a real HTTP server that speaks as OpenAI's and Anthropic's do.
 *
 * How a store behaves is written in the key that it is called with: `sk-<behaviour>-…`, where `well` keeps files.
 */
import { Effect, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  type FileProviders,
  fileProvidersAt,
  type KeptFile,
  type KeyUse,
  madeContent,
  madeFile,
  type Provider
} from "./fileProvidersAt.ts"
import { listenOnLoopback } from "../upstream/listenOnLoopback.ts"

const createdAt = "2026-03-01T10:00:00Z"

const isMade = ({ fields }: KeptFile): boolean => fields["purpose"] === "batch_output"

const shown: Record<Provider, (id: string, file: KeptFile) => object> = {
  openai: (id, { filename, size, fields }) => ({
    id,
    object: "file",
    bytes: size,
    created_at: Date.parse(createdAt) / 1000,
    filename,
    purpose: fields["purpose"],
    status: "processed"
  }),
  anthropic: (id, file) => ({
    id,
    type: "file",
    filename: file.filename,
    mime_type: file.mime_type,
    size_bytes: file.size,
    created_at: createdAt,
    downloadable: isMade(file)
  })
}

type Ids = readonly string[]

/** The ids of a page, by the query that each takes; undefined for a query that it refuses. */
const pages: Record<Provider, (ids: Ids, query: URLSearchParams) => { page: Ids; has_more: boolean } | undefined> = {
  openai: (ids, query) => {
    const order = query.get("order") ?? "desc"
    const limit = Number(query.get("limit") ?? 10_000)
    if (!(limit >= 1 && limit <= 10_000) || (order !== "asc" && order !== "desc")) return undefined
    return after(order === "asc" ? ids : ids.toReversed(), query.get("after"), limit)
  },
  anthropic: (ids, query) => {
    const limit = Number(query.get("limit") ?? 20)
    return limit >= 1 && limit <= 1_000 ? after(ids, query.get("after_id"), limit) : undefined
  }
}

const after = (ids: Ids, id: string | null, limit: number): { page: Ids; has_more: boolean } | undefined => {
  if (id !== null && !ids.includes(id)) return undefined
  const rest = ids.slice(id === null ? 0 : ids.indexOf(id) + 1)
  return { page: rest.slice(0, limit), has_more: rest.length > limit }
}

const listed = (
  provider: Provider,
  files: ReadonlyMap<string, KeptFile>,
  query: URLSearchParams
): object | undefined => {
  const found = pages[provider]([...files.keys()], query)
  if (found === undefined) return undefined
  const data = found.page.map((id) => shown[provider](id, files.get(id) ?? madeFile))
  const ends = { first_id: found.page[0] ?? null, last_id: found.page.at(-1) ?? null, has_more: found.has_more }
  return provider === "openai" ? { object: "list", data, ...ends } : { data, ...ends }
}

const deleted: Record<Provider, (id: string) => object> = {
  openai: (id) => ({ id, object: "file", deleted: true }),
  anthropic: (id) => ({ id, type: "file_deleted" })
}

/** The key, if the request is one that the provider would take. */
const keyOf = (provider: Provider, { headers }: IncomingMessage): string | undefined => {
  if (provider === "openai") return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1]
  const isBeta = headers["anthropic-beta"] === "files-api-2025-04-14" && headers["anthropic-version"] === "2023-06-01"
  return isBeta ? String(headers["x-api-key"]) : undefined
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const behaviourOf = (key: string): string => key.split("-")[1] ?? ""

/** A store with a file that the provider itself made. */
const isMaking = (key: string): boolean => behaviourOf(key) === "making"

/** Behaviours of a store that is not well. */
const failures: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
  refused: (response) => json(response, 401, { error: { message: "Incorrect API key provided" } }),
  failing: (response) => json(response, 500, { error: {} }),
  limited: (response) => json(response, 429, { error: {} }),
  empty: (response) => void response.writeHead(200).end(),
  babbling: (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>It works!</html>"),
  mistaken: (response) =>
    json(response, 200, {
      id: "file-another",
      object: "file",
      type: "file_deleted",
      deleted: true,
      bytes: 1,
      created_at: 1,
      filename: "another"
    }),
  sneaky: (response) => json(response, 200, { id: "../../etc/passwd", object: "file", deleted: true }),
  undecided: (response, request) =>
    json(response, 200, { id: request.url?.split("/").at(-1), object: "file", deleted: false, type: "file" }),
  endless: (response) => void response.writeHead(200).end(`{"id":"${"x".repeat(1_000_000)}"}`),
  moved: (response, request) => void response.writeHead(307, { location: `/elsewhere${request.url ?? ""}` }).end(),
  broken: (response) => {
    response.writeHead(200, { "content-length": "1000" })
    response.write('{"id":')
    setImmediate(() => response.destroy())
  },
  gone: (response) => void response.destroy(),
  // Pages of a list that nobody should follow.
  stuck: (response) => json(response, 200, { object: "list", data: [], has_more: true }),
  lavish: (response) =>
    json(response, 200, {
      object: "list",
      data: ["file-1", "file-2", "file-3"].map((id) => shown.openai(id, madeFile)),
      has_more: false
    }),
  circling: (response) =>
    json(response, 200, { object: "list", data: [shown.openai("file-1", madeFile)], has_more: true }),
  foul: (response) =>
    json(response, 200, {
      object: "list",
      data: [shown.openai("file-1", madeFile), shown.openai("../file-2", madeFile)],
      has_more: false
    })
}

const sendContent = (key: string, file: KeptFile, request: IncomingMessage, response: ServerResponse): void => {
  // The only wish of a client's that could be met in part.
  if (!isMade(file) || request.headers.range !== undefined)
    return json(response, 400, { error: { message: "Not allowed to download files of purpose: user_data" } })
  // As what it is, for no browser's sake.
  response.writeHead(200, { "content-type": "text/html", "content-length": madeFile.size, "set-cookie": "upstream=1" })
  if (!key.includes("cut")) return void response.end(madeContent)
  response.write(madeContent.subarray(0, 300_000))
  setImmediate(() => response.destroy())
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const part of request) parts.push(part as Uint8Array)
  return Buffer.concat(parts)
}

const uploaded = async (request: IncomingMessage): Promise<KeptFile> => {
  const body = new Uint8Array(await bodyOf(request))
  const form = await new Response(body, {
    headers: { "content-type": request.headers["content-type"] ?? "" }
  }).formData()
  const file = form.get("file")
  if (!(file instanceof Blob) || !("name" in file)) throw new Error("no file")
  const fields = [...form].flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : []
  )
  return { filename: String(file.name), mime_type: file.type, size: file.size, fields: Object.fromEntries(fields) }
}

/** Listens as long as the scope lives. */
export const startFileProviders: Effect.Effect<FileProviders, never, Scope.Scope> = Effect.gen(function* () {
  const stores = new Map<string, Map<string, KeptFile>>()
  const calls = new Map<string, number>()
  const filesOf = (key: string): Map<string, KeptFile> => {
    const known = stores.get(key) ?? new Map<string, KeptFile>(isMaking(key) ? [["file-made", madeFile]] : [])
    stores.set(key, known)
    return known
  }
  let made = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = /^\/uses\/(.+)$/.exec(request.url ?? "")?.[1]
    if (asked !== undefined) {
      const used = decodeURIComponent(asked)
      const use: KeyUse = { calls: calls.get(used) ?? 0, files: [...filesOf(used)] }
      return json(response, 200, use)
    }
    const [path = "", search] = (request.url ?? "").split("?")
    const match = /^\/(openai|anthropic)\/v1\/files(?:\/([^/?]+?)(\/content)?)?$/.exec(path)
    const provider = match?.[1] as Provider | undefined
    const key = provider && keyOf(provider, request)
    if (provider === undefined || key === undefined) return json(response, 400, { error: "unexpected request" })
    calls.set(key, (calls.get(key) ?? 0) + 1)
    const failure = failures[behaviourOf(key)]
    if (failure !== undefined) {
      await bodyOf(request)
      return failure(response, request)
    }
    const files = filesOf(key)
    const id = match?.[2]
    if (id === undefined && request.method === "GET") {
      const list = listed(provider, files, new URLSearchParams(search))
      return list === undefined ? json(response, 400, { error: "no such page" }) : json(response, 200, list)
    }
    if (id === undefined) {
      const file = await uploaded(request)
      if (provider === "openai" && file.fields["purpose"] === undefined)
        return json(response, 400, { error: "purpose" })
      const newId = `file-${++made}`
      files.set(newId, file)
      return json(response, 200, shown[provider](newId, file))
    }
    const file = files.get(id)
    if (file === undefined) return json(response, 404, { error: "no such file" })
    if (match?.[3] !== undefined) return sendContent(key, file, request, response)
    if (request.method === "GET") return json(response, 200, shown[provider](id, file))
    files.delete(id)
    return json(response, 200, deleted[provider](id))
  }

  const origin = yield* listenOnLoopback((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return fileProvidersAt(origin)
})
