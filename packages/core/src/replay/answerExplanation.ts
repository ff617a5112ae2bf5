import type { CreateExplanation } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Ingress } from "../policy/denial.ts"
import { explain } from "../decision/explain.ts"
import { replayUsage } from "./replayUsage.ts"

/** Explains one request, or replays a range of recorded usage. */
export const answerExplanation = Effect.fnUntraced(function* (
  account_id: string,
  { replay, api_key_hash = "", ...asked }: CreateExplanation,
  ingress: Ingress
) {
  if (replay == null) return yield* explain(account_id, { ...asked, api_key_hash }, ingress)
  return yield* replayUsage(account_id, {
    ...asked,
    replay,
    ...(api_key_hash === "" ? {} : { api_key_hash })
  })
})
