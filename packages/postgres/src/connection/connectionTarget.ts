import { Redacted } from "effect"

/** Where a connection string leads, as spans name it; the client itself reads the string alone and says `localhost` in them. */
export const connectionTarget = (
  url: Redacted.Redacted<string>
): { readonly host?: string; readonly port?: number; readonly database?: string } => {
  const text = Redacted.value(url)
  if (!URL.canParse(text)) return {}
  const { hostname, port, pathname, searchParams } = new URL(text)
  const database = pathname.slice(1)
  // Parameters would win over these parts, and what is percent-encoded is left to the client.
  const isPlain = (part: string, name: string) => part !== "" && !searchParams.has(name) && !/[%[]/.test(part)
  return {
    ...(isPlain(hostname, "host") ? { host: hostname } : {}),
    ...(isPlain(port, "port") ? { port: Number(port) } : {}),
    ...(isPlain(database, "dbname") ? { database } : {})
  }
}
