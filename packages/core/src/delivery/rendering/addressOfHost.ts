/** The address of a `host` in a config. A host without a scheme is one of HTTPS. */
export const addressOfHost = (host: string): string =>
  (/^https?:\/\//i.test(host) ? host : `https://${host}`).replace(/\/+$/, "")
