import type { Values } from "./variables.ts"

export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

/** What does not work because the server does not know its own address; undefined if nothing. Rule: authorization#metadata, alerts#recipients. */
export const addressProblem = (values: Values): string | undefined => {
  if (values.GATEWARDEN_PUBLIC_URL !== undefined) return undefined
  const lost = [
    ...(isLoopback(values.HOST) || !values.GATEWARDEN_AUTH_PAGE
      ? []
      : ["/auth and the metadata for OAuth clients answer 404"]),
    ...(values.GATEWARDEN_SMTP_URL === undefined ? [] : ["recipients of mail cannot confirm"])
  ]
  return lost.length === 0
    ? undefined
    : `The server listens on ${values.HOST} without GATEWARDEN_PUBLIC_URL, so ${lost.join(" and ")}`
}
