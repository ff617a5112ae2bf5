/**
 * What Node hides of a request's headers.
 *
 * Of several `Authorization` or `Host` headers Node shows the first and drops the rest, so two readers of one request can
 * take it for two different callers. Rule: requests#bearer-credentials: two `Authorization` headers are 401; RFC 9112 3.2: two
 * `Host` headers are 400.
 */
export interface HeaderFindings {
  readonly hosts: number
  /** Every `Authorization` value, joined as lists are (RFC 9110 5.2), when there is more than one. */
  readonly joinedAuthorization: string | undefined
}

/** `rawHeaders` alternates names and values as they were sent. */
export const inspectHeaders = (rawHeaders: readonly string[]): HeaderFindings => {
  let hosts = 0
  const authorizations: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    // Most names are of another length, and most requests have nothing to find.
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
    else if (name.length === 13 && name.toLowerCase() === "authorization")
      authorizations.push(rawHeaders[index + 1] ?? "")
  }
  if (authorizations.length < 2) return { hosts, joinedAuthorization: undefined }
  // An empty value shows as a dash: at an end of the line its space, by which the core tells a list, would be trimmed.
  return { hosts, joinedAuthorization: authorizations.map((value) => value || "-").join(", ") }
}
