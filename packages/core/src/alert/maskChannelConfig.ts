/**
 * Masks the config of an alert channel for responses.
 *
 * Rule: alerts#channel-secrets, secrets#masks. The address of an incoming webhook of Slack is a credential: behind its host all of it is
 * masked.
 */
import type { AlertChannel, AlertChannelConfig, AlertChannelType } from "@gatewarden/contract"
import { looksMaskedUrl, maskUrl } from "../observability/maskUrl.ts"
import { looksMasked, maskSecret } from "../vault/maskSecret.ts"

const behindHost = (url: string): readonly [origin: string, rest: string] => {
  const [, origin = "", rest = ""] = /^(\s*https?:[/\\]{2}[^/\\?#]*)[/\\]?(.*)$/is.exec(url) ?? []
  return [origin, rest]
}

const maskSlackUrl = (url: string): string => {
  const [origin, rest] = behindHost(url)
  return `${origin}/${rest === "" ? "" : maskSecret(rest)}`
}

/** Whether a value looks like what is shown of a secret in this field. */
export const looksMaskedIn = (type: AlertChannelType, field: string, value: string): boolean => {
  if (field === "signing_secret") return looksMasked(value)
  if (field !== "url") return false
  return type === "slack" ? looksMasked(behindHost(value)[1]) : looksMaskedUrl(value)
}

/** What is shown of a config. */
export const maskChannelConfig = (type: AlertChannelType, config: AlertChannelConfig): AlertChannel["config"] => {
  if (!("url" in config)) return config
  return "signing_secret" in config
    ? { url: maskUrl(config.url), signing_secret: maskSecret(config.signing_secret) }
    : { url: type === "slack" ? maskSlackUrl(config.url) : maskUrl(config.url) }
}
