/**
 * The key that makes a model request, in the bodies of a data plane.
 *
 * Rule: admissions#admission.
 */
import * as z from "zod"
import { keyHash } from "./primitives.ts"

/** The key that makes a request: itself, or its hash. */
export const namedKey = {
  api_key: z
    .string("Expected the key that makes the request")
    .nullish()
    .describe(
      "The API key that makes the model request, as your client sent it, in place of `api_key_hash`. Accepted over TLS and on a loopback address. Only its hash is used."
    ),
  api_key_hash: keyHash
    .nullish()
    .transform((hash) => hash ?? undefined)
    .describe("Hash of the API key that makes the model request, in place of `api_key`.")
}

export const requireKey = (
  { api_key, api_key_hash }: { readonly api_key?: unknown; readonly api_key_hash?: unknown },
  context: z.RefinementCtx,
  message = "Expected the key that makes the request: send api_key, or api_key_hash"
): void => {
  if (api_key != null && api_key_hash != null)
    context.addIssue({
      code: "custom",
      path: ["api_key"],
      params: { code: "two_keys" },
      message: "Send api_key or api_key_hash, one of them"
    })
  if (api_key == null && api_key_hash == null)
    context.addIssue({ code: "custom", path: ["api_key_hash"], params: { code: "invalid_type" }, message })
}
