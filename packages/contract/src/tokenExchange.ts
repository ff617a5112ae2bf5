/**
 * Token exchange: a workload presents a token of its own platform and gets a short-lived key.
 *
 * Rule: authorization#token-exchange. Source: RFC 8693 2; RFC 6749 5.2.
 */
import * as z from "zod"
import type { ErrorStatus, Issue } from "./error.ts"
import { form, operation } from "./operation.ts"
import { text, uuid } from "./primitives.ts"
import { type Reason, reasons } from "./reasons.ts"

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
    grant_type: only(tokenExchangeGrant, "unsupported_grant_type").describe("Grant of token exchange of RFC 8693."),
    subject_token: text(1, maxTokenLength)
      .describe("JWT of the workload, issued by its own platform.")
      .meta({ writeOnly: true }),
    subject_token_type: z.enum(subjectTokenTypes).describe("Kind of the token. Both are JWTs."),
    federation_policy_id: uuid.describe("Id of the federation policy that the token must meet."),
    requested_token_type: z
      .literal(accessTokenType)
      .optional()
      .describe("Kind of token to issue. Only an access token."),
    scope: only("inference", "invalid_scope").optional().describe("Scope of the access token. Only `inference`.")
  })
  .meta({ id: "ExchangeToken", description: "A token of the workload's own platform, to exchange for a key." })
export type ExchangeToken = z.output<typeof ExchangeToken>

/** Source: RFC 8693 2.2.1. */
export const ExchangedToken = z
  .object({
    access_token: z.string().describe("The API key. It is shown once."),
    issued_token_type: z.literal(accessTokenType).describe("Kind of the issued token."),
    token_type: z.literal("Bearer").describe("Use of the token: `Authorization: Bearer`."),
    expires_in: z.int().min(1).describe("Seconds until the key expires."),
    scope: z.literal("inference").describe("Scope of the access token.")
  })
  .meta({ id: "ExchangedToken", description: "The issued key, in the form of RFC 8693 2.2.1." })
export type ExchangedToken = z.output<typeof ExchangedToken>

/** Source: RFC 6749 5.2. */
export const OAuthError = z
  .object({
    error: z
      .enum([
        "invalid_request",
        "invalid_grant",
        "unsupported_grant_type",
        "invalid_scope",
        "server_error",
        "temporarily_unavailable"
      ])
      .describe("Error code of RFC 6749 5.2 and RFC 8693."),
    error_description: z.string().describe("The cause of the error as a sentence for people."),
    error_uri: z
      .string()
      .describe("Address of a page on the cause. Resolve it against the URL of the request, unless it is absolute.")
  })
  .meta({ id: "OAuthError", description: "Body of an error for OAuth clients, in the form of RFC 6749 5.2." })
export type OAuthError = z.output<typeof OAuthError>

const ofReason: { readonly [R in Reason]?: OAuthError["error"] } = {
  invalid_grant: "invalid_grant",
  unsupported_grant_type: "unsupported_grant_type",
  invalid_scope: "invalid_scope"
}

const ofStatus: { readonly [S in ErrorStatus]?: OAuthError["error"] } = {
  429: "temporarily_unavailable",
  500: "server_error",
  503: "temporarily_unavailable"
}

/** The characters that a description may have. */
const printable = (text: string): string => text.replaceAll('"', "'").replaceAll(/[^ !#-[\]-~]/g, "?")

/** An error in the form of OAuth. `docs`: the address of the pages on reasons, with a slash at its end. */
export const oauthErrorOf = (
  {
    status,
    reason,
    issues = []
  }: {
    readonly status: ErrorStatus
    readonly reason: Reason
    readonly issues?: readonly Issue[] | undefined
  },
  docs: string
): OAuthError => ({
  error: ofReason[reason] ?? ofStatus[status] ?? "invalid_request",
  error_description: printable(
    issues.length === 0
      ? reasons[reason].means
      : issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  ),
  error_uri: docs + reason
})

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
      access_token: "gw-v1-nVxkMrIhqh7iRlPvogv2jbtPE2NBAIZFyFdBqywbJBu3ftlJN",
      issued_token_type: accessTokenType,
      token_type: "Bearer",
      expires_in: 900,
      scope: "inference"
    }
  }
})
