import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

/** Reported events have ids of small numbers; settled ones have the ids of their admissions. */
export const recordedIds = fc.oneof(
  fc.nat({ max: 40 }).map((id) => `gen-${id}`),
  some("admission")
)

export const getGeneration = command("getGeneration", { weight: 4, query: { id: recordedIds } })
