/** Messages of platforms as they are kept: bounded, and without what the request or the config holds as a secret. */
import type { Destination } from "@gatewarden/contract"
import { maskConfig } from "../observability/maskConfig.ts"

export const maxMessageLength = 500

/** Shorter texts are no secrets, and would be found everywhere. */
const shortestSecret = 6

const publicHeaders: ReadonlySet<string> = new Set(["accept", "content-encoding", "content-length", "content-type"])

/** The texts of a config that are not shown as they are, and what of a URL is masked. */
const secretsOfConfig = (type: Destination["type"], config: Destination["config"]): readonly string[] => {
  const secrets: string[] = []
  const compare = (value: unknown, shown: unknown): void => {
    if (typeof value === "string" && value !== shown) {
      secrets.push(value)
      if (/^https?:/i.test(value))
        secrets.push(...value.split(/[/@?&=:#]+/).filter((part) => !String(shown).includes(part)))
    } else if (typeof value === "object" && value !== null)
      for (const [name, held] of Object.entries(value))
        compare(held, (shown as Readonly<Record<string, unknown>>)?.[name])
  }
  compare(config, maskConfig(type, config))
  return secrets
}

const secretsOfHeaders = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => (publicHeaders.has(name) ? [] : [value, ...value.split(/[ =,]+/)]))

/** What must not be in a message about a request. */
export const secretsOf = (
  type: Destination["type"],
  config: Destination["config"],
  headers: Readonly<Record<string, string>> = {}
): readonly string[] =>
  [...secretsOfConfig(type, config), ...secretsOfHeaders(headers)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((a, b) => b.length - a.length)

/** Removed before it is cut, so that no half of a secret is left. */
export const withoutSecrets = (message: string, secrets: readonly string[]): string => {
  let clean = message.slice(0, 65_536)
  for (const secret of secrets) clean = clean.replaceAll(secret, "[secret]")
  // Control characters, which PostgreSQL and terminals take amiss, and halves of surrogate pairs.
  return clean
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, maxMessageLength)
    .replace(/\p{Cs}/gu, "\ufffd")
    .trim()
}
