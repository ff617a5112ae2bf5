/**
 * Authorization codes: an app gets a code, proves that it is the app that requested it (PKCE), and exchanges it for a key of its user.
 *
 * Rule: authorization#codes, authorization#exchange. Source: RFC 7636.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { ResetInterval } from "./interval.ts"
import { dataOf, instant, text, timestamp, usd, uuid } from "./primitives.ts"

export const ChallengeMethod = z.enum(["S256", "plain"])
export type ChallengeMethod = z.output<typeof ChallengeMethod>

export const AuthorizationCode = z
  .object({
    /** The code itself. */
    id: z.string(),
    /** The number of the app with this callback origin, from 1 within the account. */
    app_id: z.int().min(1),
    created_at: timestamp
  })
  .meta({ id: "AuthorizationCode" })
export type AuthorizationCode = z.output<typeof AuthorizationCode>

/**
 * `null` says "none" of an expiry and "the default" of a workspace; elsewhere it is refused: a client that meant to send a
 * limit or a challenge and computed none (`NaN` is `null` in JSON) shall not get a more powerful key in silence.
 */
export const CreateAuthorizationCode = z
  .object({
    callback_url: z.string().meta({
      format: "uri",
      maxLength: 2048,
      description: "https, or http to localhost or 127.0.0.1 on any port; without user info and fragment."
    }),
    code_challenge: z
      .string()
      .meta({ description: "S256: 43 characters base64url. plain: 43 to 128 unreserved characters." })
      .optional(),
    /** With a challenge only; then `plain` unless given. */
    code_challenge_method: ChallengeMethod.optional(),
    /** Credit limit of the key, in USD. */
    limit: usd.optional(),
    /** When the limit resets; never unless given. */
    usage_limit_type: ResetInterval.optional(),
    /** When the key expires, later than now. */
    expires_at: instant().nullish(),
    /** Name of the key; the callback's host and port unless given. */
    key_label: text(0, 100).optional(),
    workspace_id: uuid.nullish(),
    /** What started the flow; for telemetry only. */
    spawn_agent: text(0, 200).optional(),
    spawn_cloud: text(0, 200).optional()
  })
  .meta({ id: "CreateAuthorizationCode" })
export type CreateAuthorizationCode = z.output<typeof CreateAuthorizationCode>

export const ExchangeAuthorizationCode = z
  .object({
    code: z.string(),
    code_verifier: z.string().optional(),
    /** When given, it must be the one that the code was created with. */
    code_challenge_method: ChallengeMethod.nullish()
  })
  .meta({ id: "ExchangeAuthorizationCode" })
export type ExchangeAuthorizationCode = z.output<typeof ExchangeAuthorizationCode>

const exampleCode = "d3JpdGUtZG93bi1ub3RoaW5nLXlvdS1jYW4tZGVyaXY"

export const createAuthorizationCode = operation({
  id: "createAuthorizationCode",
  method: "POST",
  path: "/auth/keys/code",
  tag: "Authorization",
  changes: { noun: "authorization_code", action: "create" },
  summary: "Create an authorization code",
  description:
    "The code is good for one exchange within 10 minutes. 409 while a live code with the same `code_challenge` and callback origin exists.",
  access: "managementKey",
  mintsKeys: true,
  workspaceOf: "named",
  body: json(CreateAuthorizationCode),
  success: { schema: dataOf(AuthorizationCode) },
  errors: [400, 401, 403, 409, 500],
  example: {
    body: {
      callback_url: "https://app.example.com/callback",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      limit: 10,
      usage_limit_type: "monthly"
    },
    response: { data: { id: exampleCode, app_id: 1, created_at: "2026-01-05T09:30:00.000Z" } }
  }
})

export const exchangeAuthorizationCode = operation({
  id: "exchangeAuthorizationCode",
  method: "POST",
  path: "/auth/keys",
  tag: "Authorization",
  changes: { noun: "key", action: "create" },
  summary: "Exchange an authorization code for a key",
  description:
    "Needs no credentials. Whatever is wrong with the code or its proof, the answer is the same; a wrong or missing verifier ends the code's life. A spent code that is presented again more than 30 seconds after its exchange revokes its key.",
  access: "anyone",
  body: json(ExchangeAuthorizationCode, 131_072),
  success: { schema: z.object({ key: z.string(), user_id: z.string().nullable() }) },
  errors: [400, 403, 500],
  example: {
    body: {
      code: exampleCode,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      code_challenge_method: "S256"
    },
    response: { key: "gw-v1-VqkZr0mT5yXb2LwNcHs8DfJuPa3GeQi7KoRt1BvMzEx4YhWd0R", user_id: "user-7" }
  }
})
