import { Effect } from "effect"
import { notFound } from "../failure.ts"
import { AdmissionTokens } from "./AdmissionTokens.ts"

/** What the id of an admission says; 404 for what this installation never signed, or for another account. */
export const requireAdmission = Effect.fnUntraced(function* (account_id: string, id: string) {
  const token = yield* (yield* AdmissionTokens).read(id)
  return token === undefined || token.account_id !== account_id ? yield* notFound() : token
})
