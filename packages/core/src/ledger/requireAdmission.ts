import { Effect } from "effect"
import { NotFound } from "../failure.ts"
import { AdmissionTokens } from "./AdmissionTokens.ts"

const reason = "unknown_admission"

/** One answer for all of them: a foreign admission is no different from an absent one (Rule: errors#absent-and-foreign). */
const unknownAdmission = new NotFound({
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

/** What the id of an admission says; 404 for what this installation never signed, or for another account. */
export const requireAdmission = Effect.fnUntraced(function* (account_id: string, id: string) {
  const token = yield* (yield* AdmissionTokens).read(id)
  return token === undefined || token.account_id !== account_id ? yield* unknownAdmission : token
})
