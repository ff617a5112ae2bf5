/** Which operation a target names: a second opinion on routing, written for clarity only. */
import { operations, type OperationShape } from "@gatewarden/contract"

const table: readonly OperationShape[] = operations

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const fits = (pattern: string, segment: string | undefined): boolean =>
  segment !== undefined && (pattern.startsWith(":") ? segment !== "" : pattern === segment)

/** `"path"`: the path exists, the method does not. Of two patterns that fit, the one with the earlier fixed word counts. */
export const operationAt = (method: string, target: string): OperationShape | "path" | undefined => {
  const [path = ""] = target.split("?")
  const segments = path.split("/").map(decoded)
  const candidates = table
    .flatMap((operation) =>
      [operation.path, ...(operation.alias === undefined ? [] : [operation.alias])].map((path) => ({
        operation,
        path,
        patterns: path.split("/")
      }))
    )
    .filter(
      ({ patterns }) =>
        patterns.length === segments.length && patterns.every((pattern, at) => fits(pattern, segments[at]))
    )
    .sort((a, b) => {
      const at = a.patterns.findIndex(
        (pattern, index) => pattern.startsWith(":") !== b.patterns[index]?.startsWith(":")
      )
      return at === -1 ? 0 : a.patterns[at]?.startsWith(":") ? 1 : -1
    })
  const best = candidates[0]
  if (best === undefined) return undefined
  const wanted = method === "HEAD" ? "GET" : method
  return (
    candidates.find(({ operation, path }) => path === best.path && operation.method === wanted)?.operation ?? "path"
  )
}
