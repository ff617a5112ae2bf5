import * as fc from "fast-check"
import { callbackUrls, challenges, verifierOf } from "./callbacks.ts"
import { command, dataOf } from "../modelBased/Command.ts"
import { moment, some } from "../modelBased/Thing.ts"

export const createAuthorizationCode = command("createAuthorizationCode", {
  weight: 4,
  body: {
    callback_url: callbackUrls,
    code_challenge: fc.constant(undefined),
    code_challenge_method: fc.constant(undefined),
    expires_at: fc.option(moment(-60_000, 20 * 60_000)),
    workspace_id: fc.option(some("workspace"))
  },
  together: challenges,
  keeps: {
    code: (json, { body }) => ({
      ...dataOf(json),
      verifier: verifierOf((body as { readonly code_challenge?: unknown }).code_challenge)
    })
  }
})
