import type { RequestSpan } from "./RequestSpan.ts"

const mostTags = 64
const longestTag = 200

const cut = (tag: string): string => tag.slice(0, longestTag).replace(/[\ud800-\udbff]$/, "")

/**
 * The tags of a request, for platforms that have tags: the texts of `trace.tags`, and with the request context those of classifiers as
 * `classifier.dimension:value`.
 */
export const tagsOf = ({ delivered: { event }, include, leftOut }: RequestSpan): readonly string[] => {
  if (leftOut === "metadata") return []
  const given = event.trace !== null && Object.hasOwn(event.trace, "tags") ? event.trace["tags"] : undefined
  const own = (Array.isArray(given) ? given : [given]).filter(
    (tag) => typeof tag === "string" && tag !== ""
  ) as string[]
  const classified = include.request_context
    ? Object.entries(event.classifiers ?? {}).flatMap(([classifier, tags]) =>
        Object.entries(tags).map(([dimension, tag]) => `${classifier}.${dimension}:${tag}`)
      )
    : []
  return [...new Set([...own, ...classified].map(cut))].slice(0, mostTags)
}
