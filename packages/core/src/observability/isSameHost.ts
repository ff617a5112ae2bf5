/** Scheme, host and port; a host without a scheme is one of HTTPS. What is no URL is a place of its own. */
const placeOf = (address: unknown): string => {
  const text = typeof address === "string" ? address : ""
  try {
    const { protocol, host } = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
    return `${protocol}//${host}`
  } catch {
    return text
  }
}

/** Whether two addresses lead to one place, so that a secret may go from one to the other. Rule: observability#new-addresses. */
export const isSameHost = (one: unknown, other: unknown): boolean => placeOf(one) === placeOf(other)
