const utf8 = new TextEncoder()

/** HTTP Basic credentials. Source: RFC 7617. */
export const basicAuth = (user: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...utf8.encode(`${user}:${password}`)))}`
