import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { beginning } from "../beginning.ts"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { audience, exchangeBody, subject } from "./federationCases.ts"
import { issuer, signToken } from "./tokenIssuers.ts"

const seconds = beginning / 1000

/** Few tokens, so that some are used again. */
const tokens = [300, 7_200, 80_000].flatMap((life) =>
  ["a", "b", undefined].map((jti) => signToken({ iss: issuer, aud: audience, sub: subject, exp: seconds + life, jti }))
)

const { federation_policy_id: _, subject_token: __, ...fixed } = exchangeBody("", "")

export const exchangeToken = command("exchangeToken", {
  weight: 4,
  body: {
    ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, fc.constant(value)])),
    subject_token: fc.constantFrom(...tokens),
    federation_policy_id: some("federation_policy"),
    scope: fc.constantFrom(undefined, "inference"),
    requested_token_type: fc.constant(undefined)
  },
  keeps: {
    key: ({ access_token: key }) => ({ key, hash: createHash("sha256").update(key).digest("hex") })
  }
})
