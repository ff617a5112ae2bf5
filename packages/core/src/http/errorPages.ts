/**
 * The pages that explain the reasons of errors, as HTML without scripts and styles.
 *
 * Rule: errors#doc-url. They lie below the base path, so every host that serves the operations serves them. Links are relative, so that a host
 * or a proxy may put the base path below a path of its own.
 */
import {
  type ErrorStatus,
  type Operation,
  type Reason,
  type ReasonRow,
  errorMessages,
  metadataPath,
  operations,
  reasons,
  removedOperations
} from "@gatewarden/contract"
import { Effect } from "effect"
import { confirmMailPath } from "../alert/confirmRecipients.ts"
import { Digest } from "../platform/Digest.ts"
import type { AppAnswer, AppRequest } from "./AppRequest.ts"
import { type Match, makeMatcher } from "./matchPath.ts"

/** Below the base path: the list of all reasons. The page of each lies below it. */
export const errorPagesPath = "/errors"

/** A text as HTML has it, between tags and in attributes. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const html = (title: string, ...parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
${parts.join("\n")}
</main>
</body>
</html>
`

/** The error as a client reads it: a denial has a message of its own. */
const exampleOf = (reason: Reason, status: ErrorStatus): string =>
  JSON.stringify({ error: { code: status, message: errorMessages[status], metadata: { reason } } }, null, 2)

const reasonPage = (reason: Reason): string => {
  const { statuses, means, remedy, call }: ReasonRow = reasons[reason]
  return html(
    `${reason}: error of Gatewarden`,
    `<h1><code>${reason}</code></h1>`,
    `<p>${escaped(means)}</p>`,
    ...statuses.map((status) => `<pre><code>${escaped(exampleOf(reason, status))}</code></pre>`),
    "<h2>What to do</h2>",
    `<p>${escaped(remedy)}</p>`,
    ...(call === undefined ? [] : [`<pre><code>${escaped(call)}</code></pre>`]),
    `<p><a href="..${errorPagesPath}">All reasons of errors</a></p>`
  )
}

const listPage = (): string =>
  html(
    "Errors of Gatewarden",
    "<h1>Errors</h1>",
    "<p>The reason of an error is in <code>error.metadata.reason</code>.</p>",
    "<dl>",
    ...Object.entries(reasons).map(
      ([reason, { means }]) =>
        `<dt><a href="${errorPagesPath.slice(1)}/${reason}"><code>${reason}</code></a></dt><dd>${escaped(means)}</dd>`
    ),
    "</dl>"
  )

/** The page at a path within the base path, as HTML without scripts and styles; undefined where there is none. */
export const errorPage = (path: string): (() => string) | undefined => {
  if (path === errorPagesPath) return listPage
  if (!path.startsWith(`${errorPagesPath}/`)) return undefined
  const reason = path.slice(errorPagesPath.length + 1)
  return Object.hasOwn(reasons, reason) ? () => reasonPage(reason as Reason) : undefined
}

/** Nothing is fetched for a page, and nothing runs in it. */
export const errorPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

/** The policy of a page has its digest. */
const style = `:root{color-scheme:light dark;--line:#767676;--strong:#1d4ed8;--on:#fff;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--line:#8c8c8c;--strong:#9dbdff;--on:#10151f;--bad:#ffb4ab}}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,sans-serif}
main{max-width:32rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;border:1px solid var(--line);border-radius:.5rem;padding:1rem}
dt{font-weight:600}
dd{margin:0;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin-top:1rem}
input{width:100%;font:inherit;padding:.5rem;margin-top:.25rem;border:1px solid var(--line);border-radius:.375rem}
.hint{margin:.25rem 0 0;font-size:.875rem}
.choice{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button{font:inherit;font-weight:600;padding:.625rem 1.5rem;border:1px solid var(--line);border-radius:.375rem;background:transparent;color:inherit;cursor:pointer}
button[value=allow]{background:var(--strong);border-color:var(--strong);color:var(--on)}
:focus-visible{outline:3px solid var(--strong);outline-offset:2px}
[role=alert]{border-left:.25rem solid var(--bad);padding-left:.75rem;color:var(--bad)}
code{display:block;padding:.75rem;border:1px solid var(--line);border-radius:.375rem;overflow-wrap:anywhere;user-select:all}`

/** Pages for people as HTML: plain forms, without scripts, under a policy that allows nothing else. */
export const htmlPage = (title: string, ...parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${parts.filter((part) => part !== "").join("\n")}
</main>
</body>
</html>
`

/** The headers of a page beside its body. `formTarget`: where its form may lead beside the page itself. */
export const answerPage = (status: number, body: string, headers: Record<string, string>, formTarget?: string) =>
  Effect.map(
    Effect.flatMap(Digest, (digest) => digest.sha256(style)),
    (hash): AppAnswer => ({
      status,
      body,
      headers: {
        ...headers,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `default-src 'none'; style-src 'sha256-${btoa(String.fromCharCode(...hash))}'; form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}; base-uri 'none'; frame-ancestors 'none'`,
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        // The query may have a state or a token; the origin of the form must be sent.
        "referrer-policy": "same-origin"
      }
    })
  )

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

/**
 * What a request is aimed at: the operation that its method and path name, and the parts of its target.
 *
 * A request's target in its parts, and the operation that it names.
 */
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
