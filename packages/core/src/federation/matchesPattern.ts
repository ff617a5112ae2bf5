/**
 * Whether a text is what a pattern says: `*` stands for any text, everything else for itself.
 *
 * Rule: authorization#federation-policies. Each part is searched once from where the part before ended, so the time grows with the length
 * of the text, whatever the pattern is.
 */
export const matchesPattern = (pattern: string, text: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return text === pattern
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let from = head.length
  for (const part of rest) {
    const found = text.indexOf(part, from)
    if (found === -1 || found + part.length > end) return false
    from = found + part.length
  }
  return true
}

/** Whether a pattern lets any text pass. */
export const matchesAnything = (pattern: string): boolean => /^\*+$/.test(pattern)
