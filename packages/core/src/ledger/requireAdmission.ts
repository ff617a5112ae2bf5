import { Effect } from "effect"
import { NotFound } from "../failure.ts"
import { AdmissionTokens } from "../access/AdmissionTokens.ts"

const reason = "unknown_admission"

/**
 * One answer for all cases: an admission of another account gets the same as one that does not exist (Rule: errors#resources-of-other-accounts).
 */
export const unknownAdmission = new NotFound({
  reason,
  issues: [
    {
      path: "path.id",
      code: reason,
      message:
        "No admission of this account has this id. It was made with a key of another account, or by an installation with another keyring, or it was changed on the way: send the whole id of POST /gateway/admissions with the same account's key"
    }
  ]
})

/** The contents of an admission's id; 404 for an id that this installation never signed, or that of another account. */
export const requireAdmission = Effect.fnUntraced(function* (account_id: string, id: string) {
  const token = yield* (yield* AdmissionTokens).read(id)
  return token === undefined || token.account_id !== account_id ? yield* unknownAdmission : token
})
