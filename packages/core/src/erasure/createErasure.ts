import { type CreateErasure, maxErasures } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { Conflict } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { digestOfPerson, newErasureRequest, pseudonymOf, sealErasure } from "./erasureRequest.ts"
import { Erasures, type Person } from "../ports/erasures.ts"
import { isLasting, type LastingKind, remedies } from "./obstacles.ts"
import { printedErasure } from "./printedErasure.ts"

/** Rule: access#erasures. */
export const createErasure = operation("createErasure")(function* (
  { account_id }: Caller,
  { user_id, external_user }: CreateErasure
) {
  const person: Person =
    user_id === undefined ? { kind: "external_user", name: external_user ?? "" } : { kind: "user", name: user_id }
  const now = yield* timestamp
  const erasures = yield* Erasures
  const obstacles = (yield* erasures.inTheWay(account_id, person, now)).filter(isLasting)
  const id = (yield* Entropy).uuid()
  const request = yield* newErasureRequest(person)
  const draft = {
    id,
    kind: person.kind,
    pseudonym: yield* pseudonymOf(request),
    created_at: now,
    sealed_request: yield* sealErasure(request, account_id, id),
    request_digest: yield* digestOfPerson(account_id, person)
  }
  // A job that was begun before somebody came back is answered all the same.
  const erasure = yield* erasures.start(account_id, draft, obstacles.length > 0 ? 0 : maxErasures)
  if (erasure === "full" && obstacles.length > 0)
    return yield* new Conflict({ reason: "person_in_use", issues: obstacles.map(issueOf(person)) })
  if (erasure === "full") {
    const message = `${maxErasures} erasures of this account are not finished`
    return yield* new Conflict({
      reason: "too_many_erasures",
      issues: [{ path: "", code: "too_many_erasures", message }]
    })
  }
  return printedErasure(erasure)
})

const issueOf =
  ({ kind: whose }: Person) =>
  ({ kind, count }: { readonly kind: LastingKind; readonly count: number }) => {
    const [one, many, remedy] = remedies[kind]
    return {
      path: whose === "user" ? "user_id" : "external_user",
      code: kind,
      message: `${count} ${count === 1 ? one : many}. ${remedy}`
    }
  }
