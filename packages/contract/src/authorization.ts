/**
 * Authorization codes: an app gets a code, proves that it is the app that requested it (PKCE), and exchanges it for a key of its user.
 *
 * Rule: authorization#codes, authorization#exchange. Source: RFC 7636.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { ResetInterval } from "./interval.ts"
import { createdAt, dataOf, instant, text, usd, uuid } from "./primitives.ts"

export const ChallengeMethod = z.enum(["S256", "plain"])
export type ChallengeMethod = z.output<typeof ChallengeMethod>

export const AuthorizationCode = z
  .object({
    id: z.string().describe("The code itself, for `POST /auth/keys`. It is shown once."),
    app_id: z.int().min(1).describe("The number of the app with this callback origin, from 1 within the account."),
    created_at: createdAt
  })
  .meta({ id: "AuthorizationCode", description: "A code that an app exchanges for an API key." })
export type AuthorizationCode = z.output<typeof AuthorizationCode>

export const CreateAuthorizationCode = z
  .object({
    callback_url: z.string().meta({
      format: "uri",
      maxLength: 2048,
      description:
        "Address that receives the code: https, or http to localhost or 127.0.0.1 on any port, without user info and fragment."
    }),
    code_challenge: z
      .string()
      .meta({
        description:
          "PKCE challenge of the app. `S256`: 43 characters of base64url. `plain`: 43 to 128 unreserved characters."
      })
      .optional(),
    code_challenge_method: ChallengeMethod.optional().describe(
      "How the challenge is computed from the verifier. Only with `code_challenge`. Default: `plain`."
    ),
    limit: usd.optional().describe("Spending limit of the key in USD. Absent: no limit."),
    usage_limit_type: ResetInterval.optional().describe(
      "Interval after which the limit resets. Absent: it never resets."
    ),
    expires_at: instant()
      .nullish()
      .describe("Time when the key expires, later than now. `null` or absent: it does not expire."),
    key_label: text(0, 100).optional().describe("Name of the key. Default: host and port of the callback."),
    workspace_id: uuid
      .nullish()
      .describe("Id of the workspace of the key. Default: the default workspace of the account."),
    spawn_agent: text(0, 200).optional().describe("Name of the agent that started the flow, for telemetry only."),
    spawn_cloud: text(0, 200).optional().describe("Name of the cloud that started the flow, for telemetry only.")
  })
  .meta({
    id: "CreateAuthorizationCode",
    description: "Request for an authorization code, with the properties of the key that it gives."
  })
export type CreateAuthorizationCode = z.output<typeof CreateAuthorizationCode>

export const ExchangeAuthorizationCode = z
  .object({
    code: z.string().describe("The authorization code."),
    code_verifier: z
      .string()
      .optional()
      .describe("The PKCE verifier. Required if the code was created with a challenge."),
    code_challenge_method: ChallengeMethod.nullish().describe(
      "Method of the challenge. If sent, it must equal the one that the code was created with."
    )
  })
  .meta({ id: "ExchangeAuthorizationCode", description: "An authorization code with its proof." })
export type ExchangeAuthorizationCode = z.output<typeof ExchangeAuthorizationCode>

const exampleCode = "1tPYXuJnr3k4mCb5rQBNnkQaRh-BX74XJ88Kx_Wv5Tg"

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
  success: {
    schema: z.object({
      key: z.string().describe("The API key. It is shown once."),
      user_id: z.string().nullable().describe("Id of the user that the key belongs to. `null`: none.")
    })
  },
  errors: [400, 403, 500],
  example: {
    body: {
      code: exampleCode,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      code_challenge_method: "S256"
    },
    response: { key: "gw-v1-nVxkMrIhqh7iRlPvogv2jbtPE2NBAIZFyFdBqywbJBu3ftlJN", user_id: "user-7" }
  }
})
