/** Where the reason of an error is explained. Rule: errors#doc-url. */
import { errorPagesPath } from "./errorPages.ts"
import { pathWithin, type Where } from "./targetOf.ts"

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
