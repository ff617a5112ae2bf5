/**
 * Token exchange: a workload presents a token of its own platform and gets a short-lived key.
 *
 * Rule: authorization#token-exchange. Source: RFC 8693 2; RFC 6749 5.2.
 */
import * as z from "zod"
import { form, operation } from "./operation.ts"
import { text, uuid } from "./primitives.ts"

export const tokenExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

/** What a subject token may be declared as: both are JWTs. */
export const subjectTokenTypes = [
  "urn:ietf:params:oauth:token-type:jwt",
  "urn:ietf:params:oauth:token-type:id_token"
] as const

/** An ID token of any platform is far smaller. In code points. */
const maxTokenLength = 16_384

/** A literal whose breach has an error code of its own in OAuth. */
const only = (value: string, reason: "unsupported_grant_type" | "invalid_scope") =>
  z
    .string()
    .refine((sent) => sent === value, { message: `Expected ${value}`, params: { code: reason, reason } })
    .meta({ const: value })

export const ExchangeToken = z
  .object({
    grant_type: only(tokenExchangeGrant, "unsupported_grant_type"),
    subject_token: text(1, maxTokenLength).describe("The JWT of the workload.").meta({ writeOnly: true }),
    subject_token_type: z.enum(subjectTokenTypes),
    federation_policy_id: uuid.describe("The policy that the token is to meet."),
    requested_token_type: z.literal(accessTokenType).optional(),
    scope: only("inference", "invalid_scope").optional()
  })
  .meta({ id: "ExchangeToken" })
export type ExchangeToken = z.output<typeof ExchangeToken>

/** Source: RFC 8693 2.2.1. */
export const ExchangedToken = z
  .object({
    /** The key. */
    access_token: z.string(),
    issued_token_type: z.literal(accessTokenType),
    token_type: z.literal("Bearer"),
    expires_in: z.int().min(1).describe("Seconds until the key expires."),
    scope: z.literal("inference")
  })
  .meta({ id: "ExchangedToken" })
export type ExchangedToken = z.output<typeof ExchangedToken>

/** The body of every error of operations that OAuth clients call. Source: RFC 6749 5.2. */
export const OAuthError = z
  .object({
    error: z.enum([
      "invalid_request",
      "invalid_grant",
      "unsupported_grant_type",
      "invalid_scope",
      "server_error",
      "temporarily_unavailable"
    ]),
    error_description: z.string(),
    /** Leads to a page on the reason. A URL reference: resolve it against the URL of the request. */
    error_uri: z.string()
  })
  .meta({ id: "OAuthError" })
export type OAuthError = z.output<typeof OAuthError>

/** The answer that carries a key. */
export const exchangedToken = (access_token: string, expires_in: number): ExchangedToken => ({
  access_token,
  issued_token_type: accessTokenType,
  token_type: "Bearer",
  expires_in,
  scope: "inference"
})

export const exchangeToken = operation({
  id: "exchangeToken",
  method: "POST",
  path: "/oauth/token",
  tag: "Authorization",
  changes: { noun: "key", action: "create" },
  summary: "Exchange a workload's token for a short-lived key",
  description:
    "Needs no credentials but the token. The access token is an API key of the policy's workspace; it expires by itself, at the latest with the token that was presented. Errors have the form of RFC 6749 5.2.",
  access: "anyone",
  body: form(ExchangeToken),
  success: { schema: ExchangedToken },
  errors: [400, 429, 500, 503],
  errorForm: "oauth",
  example: {
    body: {
      grant_type: tokenExchangeGrant,
      subject_token: "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIn0.c2lnbmF0dXJl",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      federation_policy_id: "6d1f0a3c-8a0e-4f2b-9c55-7d3b1e9a2f40"
    },
    response: {
      access_token: "gw-v1-VqkZr0mT5yXb2LwNcHs8DfJuPa3GeQi7KoRt1BvMzEx4YhWd0R",
      issued_token_type: accessTokenType,
      token_type: "Bearer",
      expires_in: 900,
      scope: "inference"
    }
  }
})
