/**
 * What a provider key consists of: keys of OpenAI and Fireworks may be JSON with the region of the account that they belong to.
 *
 * Rule: byok#regional-keys.
 */
import { type ByokProvider, Region } from "@gatewarden/contract"
import { Redacted } from "effect"
import { parseJson } from "../value/parseJson.ts"

export interface KeyMaterial {
  /** What the provider is sent. */
  readonly api_key: string
  /** `null`: the key names none. */
  readonly region: Region | null
}

const withRegionalKeys: readonly string[] = ["fireworks", "openai"] satisfies readonly ByokProvider[]

export const hasRegionalKeys = (provider: string): boolean => withRegionalKeys.includes(provider)

const utf8 = new TextEncoder()

/** `eu` is the word of these providers. */
const regionNamed = (name: unknown): Region | undefined =>
  name === "eu" ? "europe" : Region.options.find((region) => region === name)

/** Undefined if it cannot be told which region the key names: JSON that two parsers may read differently, or an unknown region. */
export const keyMaterial = (provider: string, key: string): KeyMaterial | undefined => {
  const whole: KeyMaterial = { api_key: key, region: null }
  if (!hasRegionalKeys(provider) || !/^\s*\{/.test(key)) return whole
  const parsed = parseJson(utf8.encode(key))
  if (!parsed.ok) return undefined
  const { api_key, region = null } = parsed.value as Readonly<Record<string, unknown>>
  const isKey = typeof api_key === "string" && api_key !== ""
  if (region === null) return isKey ? { api_key, region } : whole
  const named = regionNamed(region)
  return named !== undefined && isKey ? { api_key, region: named } : undefined
}

/** What the provider is sent of a stored key. */
export const sentKey = (provider: string, key: Redacted.Redacted<string>): Redacted.Redacted<string> => {
  const whole = Redacted.value(key)
  return Redacted.make(keyMaterial(provider, whole)?.api_key ?? whole)
}
