/**
 * What an OAuth client finds out by itself: where the endpoints are, and which keys sign tokens.
 *
 * Rule: authorization#metadata. Source: RFC 8414 2 and 3; RFC 7517 5.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { tokenExchangeGrant } from "./tokenExchange.ts"

const tag = "Authorization"

/** Below the base path; also where RFC 8414 puts it for an issuer with a path: this, then the base path. */
export const metadataPath = "/.well-known/oauth-authorization-server"

export const AuthorizationServer = z
  .object({
    issuer: z.string().describe("URL that identifies the authorization server: the address of the base path."),
    authorization_endpoint: z.string().optional().describe("URL of the consent page. Absent if the server has none."),
    token_endpoint: z.string().describe("URL of the token exchange."),
    jwks_uri: z.string().describe("URL of the signing keys. The list is empty, because access tokens are API keys."),
    response_types_supported: z.array(z.string()).describe("Values of `response_type` that the consent page accepts."),
    grant_types_supported: z.array(z.string()).describe("Grant types that the token endpoint accepts."),
    code_challenge_methods_supported: z.array(z.string()).describe("PKCE methods that every code accepts."),
    token_endpoint_auth_methods_supported: z
      .array(z.string())
      .describe("Ways in which clients authenticate at the token endpoint: none."),
    scopes_supported: z.array(z.string()).describe("Scopes that a token can have.")
  })
  .meta({ id: "AuthorizationServer", description: "Metadata of the authorization server, in the form of RFC 8414." })
export type AuthorizationServer = z.output<typeof AuthorizationServer>

/** The document of the server at an address, without a slash at its end. */
export const authorizationServer = (address: string, hasPage: boolean): AuthorizationServer => ({
  issuer: address,
  ...(hasPage ? { authorization_endpoint: `${address}/auth` } : {}),
  token_endpoint: `${address}/oauth/token`,
  jwks_uri: `${address}/oauth/jwks`,
  response_types_supported: hasPage ? ["code"] : [],
  grant_types_supported: [tokenExchangeGrant],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  scopes_supported: ["inference"]
})

export const getAuthorizationServer = operation({
  id: "getAuthorizationServer",
  method: "GET",
  path: metadataPath,
  tag,
  changes: "nothing",
  summary: "Metadata for OAuth clients",
  description:
    "Addresses begin with GATEWARDEN_PUBLIC_URL. Without it a server that listens on loopback uses the address by which the request came, and another server answers 404 `public_url_required`. A code is exchanged at `POST /auth/keys`.",
  access: "anyone",
  success: { schema: AuthorizationServer },
  errors: [],
  example: { response: authorizationServer("https://gatewarden.example.com/api/v1", true) }
})

export const listSigningKeys = operation({
  id: "listSigningKeys",
  method: "GET",
  path: "/oauth/jwks",
  tag,
  changes: "nothing",
  summary: "List the keys that sign access tokens",
  description: "There are none: an access token is an API key, which nobody but the server can verify.",
  access: "anyone",
  success: {
    schema: z.object({
      keys: z
        .array(
          z.looseObject({
            kty: z.string().describe("Family of the key's algorithm, as in RFC 7517."),
            kid: z.string().describe("Id of the signing key.")
          })
        )
        .describe("Keys that verify access tokens, in the form of RFC 7517. Always empty.")
    })
  },
  errors: [],
  example: { response: { keys: [] } }
})
