/**
 * Finds the operation of a request target: exact match by segment, each segment percent-decoded once.
 *
 * Rule: requests#order-of-checks, requests#paths. A trailing slash, an empty segment or a broken escape matches nothing. A router of its
 * own, because others answer 404 to a wrong method and normalise paths.
 */
import type { Issue, Method, OperationShape } from "@gatewarden/contract/internal"

interface Node<O> {
  readonly fixed: Map<string, Node<O>>
  parameter: Node<O> | undefined
  readonly methods: Map<Method, { readonly operation: O; readonly names: readonly string[] }>
}

export type Match<O> =
  | { readonly kind: "found"; readonly operation: O; readonly params: Record<string, string> }
  | { readonly kind: "wrong_method"; readonly allow: string }
  | { readonly kind: "unknown" }

const unknown = { kind: "unknown" } as const

const emptyNode = <O>(): Node<O> => ({ fixed: new Map(), parameter: undefined, methods: new Map() })

/** `match(method, path)`, where `path` is raw and without the base path and query; HEAD is answered as GET. */
export const makeMatcher = <O extends OperationShape>(operations: readonly O[]) => {
  const root = emptyNode<O>()
  const add = (operation: O, path: string) => {
    let node = root
    const names: string[] = []
    for (const segment of path.slice(1).split("/")) {
      if (segment.startsWith(":")) {
        names.push(segment.slice(1))
        node = node.parameter ??= emptyNode()
      } else {
        let next = node.fixed.get(segment)
        if (next === undefined) node.fixed.set(segment, (next = emptyNode()))
        node = next
      }
    }
    node.methods.set(operation.method, { operation, names })
  }
  for (const operation of operations) {
    add(operation, operation.path)
    if (operation.alias !== undefined) add(operation, operation.alias)
  }

  const descend = (node: Node<O>, segments: readonly string[], at: number, values: string[]): Node<O> | undefined => {
    const segment = segments[at]
    if (segment === undefined) return node.methods.size > 0 ? node : undefined
    const fixed = node.fixed.get(segment)
    const found = fixed && descend(fixed, segments, at + 1, values)
    if (found !== undefined) return found
    if (node.parameter === undefined || segment === "") return undefined
    values[at] = segment
    return descend(node.parameter, segments, at + 1, values)
  }

  return (method: string, path: string): Match<O> => {
    if (!path.startsWith("/")) return unknown
    const segments: string[] = []
    for (const raw of path.slice(1).split("/")) {
      const segment = decodeSegment(raw)
      if (segment === undefined) return unknown
      segments.push(segment)
    }
    const sparse: string[] = []
    const node = descend(root, segments, 0, sparse)
    if (node === undefined) return unknown
    const found = node.methods.get((method === "HEAD" ? "GET" : method) as Method)
    if (found === undefined) {
      const allow = [...node.methods.keys()].flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name]))
      return { kind: "wrong_method", allow: allow.join(", ") }
    }
    const values = sparse.filter((value) => value !== undefined)
    const params: Record<string, string> = {}
    found.names.forEach((name, index) => (params[name] = values[index] ?? ""))
    return { kind: "found", operation: found.operation, params }
  }
}

const decodeSegment = (raw: string): string | undefined => {
  if (!raw.includes("%")) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

const kindOf = (segment: string): string =>
  segment === "byok"
    ? "BYOK credential"
    : segment
        .replace(/ies$/, "y")
        .replace(/s$/, "")
        .replaceAll("-", " ")
        .replace(/^[A-Z]/, (letter) => letter.toLowerCase())

/** The kinds of things that a path names, the innermost first: `version`, `preset`; and its last parameter. */
const namedBy = (path: string) => {
  const segments = path.split("/")
  const isParameter = (segment: string | undefined) => segment?.startsWith(":") === true
  const kinds = segments.flatMap((segment, at) =>
    isParameter(segment) && !isParameter(segments[at - 1]) ? [kindOf(segments[at - 1] ?? "")] : []
  )
  return { kinds: kinds.toReversed(), parameter: segments.findLast(isParameter)?.slice(1) }
}

/**
 * What kind of thing a request named that nobody shows it.
 *
 * Rule: errors#resources-of-other-accounts. One sentence for what there is not, what was deleted and what is another account's. It is made of the
 * operation's path alone and does not repeat the id: answers stay alike, and what was sent in its place may be a credential.
 *
 * The issue of a 404; undefined where the path names nothing.
 */
export const namedNothing = ({ path }: Pick<OperationShape, "path">): Issue | undefined => {
  const { kinds, parameter } = namedBy(path)
  if (parameter === undefined) return undefined
  return {
    path: `path.${parameter}`,
    code: "not_found",
    message: `This key sees no ${kinds.join(" of such a ")} with this ${parameter.replace(/^.*_/, "")}: it does not exist, was deleted, or is another account's`
  }
}
