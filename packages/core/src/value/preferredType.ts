/**
 * The type that a client wants most, of those that it names in `Accept`; undefined where it names none. Of two that it wants as much, the
 * last. Source: RFC 9110 12.5.1.
 */
export const preferredType = (accept: string | undefined, types: readonly string[]): string | undefined => {
  const quality = (type: string): number => {
    for (const range of (accept ?? "").split(",")) {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
      if (name !== type) continue
      const sent = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
      return Number.isNaN(sent) ? 0 : sent
    }
    return 0
  }
  let best: string | undefined
  for (const type of types) if (quality(type) > 0 && quality(type) >= quality(best ?? "")) best = type
  return best
}
