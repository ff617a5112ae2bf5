/**
 * What a request is aimed at: the operation that its method and path name, and where the reasons of errors are explained.
 */
import { type Operation, metadataPath, operations, removedOperations } from "@gatewarden/contract/internal"
import { confirmMailPath } from "../alert/confirmRecipients.ts"
import type { AppRequest } from "./AppRequest.ts"
import { errorPage, errorPagesPath } from "./errorPages.ts"
import { type Match, makeMatcher } from "./matchPath.ts"

export interface Where {
  /** The path under which the operations live; it carries the version segment. */
  readonly basePath: string
  /** `kept`: targets carry the base path. `either`: a host may have stripped it. */
  readonly prefix: "kept" | "either"
  /** Whether the root is the instance's as well. A host that embeds one has a root of its own, and may have a page of its own at `/auth`. */
  readonly ownsRoot?: boolean
}

/** What of a request says what it is aimed at. */
type Aimed = Pick<AppRequest, "method" | "url">

/** The authorization page, at the root and below the base path. */
export const authPagePath = "/auth"

const match = makeMatcher<Operation>(operations)

/** What a path within the base path names. Other things are looked for where no operation is, so operations cost no more for them. */
const find = (method: string, path: string): Found => {
  const found = match(method, path)
  if (found.kind !== "unknown") return found
  if (path === authPagePath || path === confirmMailPath)
    return method === "GET" || method === "HEAD" || method === "POST"
      ? { kind: path === authPagePath ? "authPage" : "mailPage" }
      : { kind: "wrong_method", allow: "GET, HEAD, POST" }
  const removed = removedOperations.find((operation) => operation.path === path)
  if (removed !== undefined)
    return method === removed.method
      ? { kind: "removed", path: removed.path }
      : { kind: "wrong_method", allow: removed.method }
  const page = errorPage(path)
  if (page === undefined) return found
  return method === "GET" || method === "HEAD" ? { kind: "page", page } : { kind: "wrong_method", allow: "GET, HEAD" }
}

type Found = Match<Operation> | FoundPage | Removed | FormPage

type FormPage = { readonly kind: "authPage" } | { readonly kind: "mailPage" }

interface Removed {
  readonly kind: "removed"
  readonly path: string
}

interface FoundPage {
  readonly kind: "page"
  readonly page: () => string
}

/** The operation's path within a target, undefined when the target lies outside the base path. */
export const pathWithin = (settings: Where, path: string): string | undefined => {
  if (settings.basePath === "/" || settings.basePath === "") return path
  if (path.startsWith(`${settings.basePath}/`)) return path.slice(settings.basePath.length)
  return settings.prefix === "either" ? path : undefined
}

/**
 * The same, and what has its place outside: the metadata, which RFC 8414 3.1 looks for at the root, before the path of the issuer, and the
 * authorization page, which the public client opens at the root.
 */
const withinOrFixed = (settings: Where, path: string): string | undefined => {
  if (settings.ownsRoot === true) {
    if (path === authPagePath) return path
    if (path === `${metadataPath}${settings.basePath}`) return metadataPath
  }
  return pathWithin(settings, path)
}

/** A request's target in its parts, and the operation or page that its method and path name. */
export interface Target {
  /** Within the base path; empty for a target outside of it. */
  readonly path: string
  /** The query, without the question mark. */
  readonly search: string
  readonly found: Found
}

export const targetOf = (settings: Where, { method, url }: Aimed): Target => {
  const questionMark = url.indexOf("?")
  const rawPath = questionMark === -1 ? url : url.slice(0, questionMark)
  const path = withinOrFixed(settings, rawPath)
  return {
    path: path ?? "",
    search: questionMark === -1 ? "" : url.slice(questionMark + 1),
    found: path === undefined ? { kind: "unknown" } : find(method, path)
  }
}

/**
 * The declared path of the operation that a request names, with its parameters unfilled; undefined when it names none. This
 * much of a target may be logged: what was sent in its place may be a secret.
 */
export const routeOf = (settings: Where, request: Aimed): string | undefined => {
  const { found } = targetOf(settings, request)
  const base = settings.basePath === "/" ? "" : settings.basePath
  if (found.kind === "authPage") return authPagePath
  if (found.kind === "mailPage") return base + confirmMailPath
  if (found.kind === "page") return `${base}${errorPagesPath}`
  if (found.kind === "removed") return base + found.path
  return found.kind === "found" ? base + found.operation.path : undefined
}

/** Whether some operation or page has the path of a target, whatever the method. */
export const isPathOfOurs = (settings: Where, url: string): boolean =>
  targetOf(settings, { method: "GET", url }).found.kind !== "unknown"

/** Where the reason of an error is explained. Rule: errors#doc-url. */
export interface DocsWhere extends Where {
  /** What `doc_url` begins with, where the host explains the reasons elsewhere. */
  readonly docUrl?: string | undefined
  /** The address by which clients know the base path. */
  readonly publicUrl?: string | undefined
}

/** An absolute address that a reason can be appended to. */
export const docUrlPattern = /^https?:\/\/[^\s"<>\\]+[/#=]$/

const up = (path: string): string => "../".repeat(path.split("/").length - 2)

/**
 * What `doc_url` begins with; the reason follows. Without an address it is relative to the request: a host or a proxy may put the base path
 * below a path of its own, which only the client knows.
 *
 * @param url path and query of the request
 */
export const errorDocsFor = (where: DocsWhere, url: string): string => {
  if (where.docUrl !== undefined) return where.docUrl
  if (where.publicUrl !== undefined) return `${where.publicUrl}${errorPagesPath}/`
  const base = where.basePath === "/" ? "" : where.basePath
  const [path = ""] = url.split("?", 1)
  if (!path.startsWith("/")) return `${base}${errorPagesPath}/`
  const within = pathWithin(where, path)
  return within === undefined
    ? `${up(path)}${base.slice(1)}${errorPagesPath}/`
    : `${up(within)}${errorPagesPath.slice(1)}/`
}
