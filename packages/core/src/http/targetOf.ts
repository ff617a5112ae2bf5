/** What a request is aimed at: the operation that its method and path name, and the parts of its target. */
import { metadataPath, type Operation, operations, removedOperations } from "@gatewarden/contract"
import type { AppRequest } from "./AppRequest.ts"
import { confirmMailPath } from "../alert/confirmRecipients.ts"
import { errorPage, errorPagesPath } from "./errorPages.ts"
import { makeMatcher, type Match } from "./matchPath.ts"

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
const find = (method: string, path: string): Match<Operation> | FoundPage | Removed | FormPage => {
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

/** A request's target in its parts, and the operation that it names. */
export const targetOf = (settings: Where, { method, url }: Aimed) => {
  const questionMark = url.indexOf("?")
  const rawPath = questionMark === -1 ? url : url.slice(0, questionMark)
  const path = withinOrFixed(settings, rawPath)
  return {
    path: path ?? "",
    search: questionMark === -1 ? "" : url.slice(questionMark + 1),
    found: path === undefined ? ({ kind: "unknown" } as const) : find(method, path)
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
