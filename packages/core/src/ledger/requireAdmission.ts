import { Effect } from "effect"
import { unknownAdmission } from "../value/failure.ts"
import { AdmissionTokens } from "../access/AdmissionTokens.ts"

/** The contents of an admission's id; 404 for an id that this installation never signed, or that of another account. */
export const requireAdmission = Effect.fnUntraced(function* (account_id: string, id: string) {
  const token = yield* (yield* AdmissionTokens).read(id)
  return token === undefined || token.account_id !== account_id ? yield* unknownAdmission() : token
})
