/**
 * What kind of thing a request named that nobody shows it.
 *
 * Rule: errors#resources-of-other-accounts. One sentence for what there is not, what was deleted and what is another account's. It is made of the
 * operation's path alone and does not repeat the id: answers stay alike, and what was sent in its place may be a credential.
 */
import type { Issue, OperationShape } from "@gatewarden/contract"

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

/** The issue of a 404; undefined where the path names nothing. */
export const namedNothing = ({ path }: Pick<OperationShape, "path">): Issue | undefined => {
  const { kinds, parameter } = namedBy(path)
  if (parameter === undefined) return undefined
  return {
    path: `path.${parameter}`,
    code: "not_found",
    message: `This key sees no ${kinds.join(" of such a ")} with this ${parameter.replace(/^.*_/, "")}: it does not exist, was deleted, or is another account's`
  }
}
