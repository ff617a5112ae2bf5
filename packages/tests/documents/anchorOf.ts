/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-")

/** The headings of a page with their anchors: a heading whose anchor is taken gets a number, as GitHub numbers it. */
export const anchorsOf = (text: string): readonly (readonly [heading: string, anchor: string])[] => {
  const seen = new Map<string, number>()
  return Array.from(text.replace(/```[\s\S]*?```/g, "").matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => {
    const anchor = anchorOf(heading)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return [heading, before === 0 ? anchor : `${anchor}-${before}`]
  })
}
