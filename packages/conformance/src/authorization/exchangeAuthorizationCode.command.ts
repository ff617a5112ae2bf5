import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { verifiers } from "./callbacks.ts"
import { command } from "../modelBased/Command.ts"
import { sameThing, some } from "../modelBased/Thing.ts"

export const exchangeAuthorizationCode = command("exchangeAuthorizationCode", {
  weight: 5,
  body: { code: some("code"), code_verifier: verifiers, code_challenge_method: fc.constant(undefined) },
  together: fc.oneof(
    { weight: 3, arbitrary: sameThing("code", { code: "id", code_verifier: "verifier" }) },
    { weight: 1, arbitrary: fc.record({ code_challenge_method: fc.constantFrom("S256", "plain", null) }) }
  ),
  keeps: { key: ({ key }) => ({ key, hash: createHash("sha256").update(key).digest("hex") }) }
})
