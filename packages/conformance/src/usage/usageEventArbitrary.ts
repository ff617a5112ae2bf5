/** Usage events as a store gets them, random in what rankings and endpoint statistics look at. */
import type { UsageEvent } from "@gatewarden/core/store"
import * as fc from "fast-check"
import { emptyEvent } from "./emptyEvent.ts"

/** Fields of events; the others are those of an event that says nothing. */
export const usageEventArbitrary = (
  fields: { readonly [Field in keyof UsageEvent]?: fc.Arbitrary<UsageEvent[Field]> } & {
    readonly created_at: fc.Arbitrary<string>
    readonly recorded_at: fc.Arbitrary<string>
    readonly model: fc.Arbitrary<string>
  }
): fc.Arbitrary<UsageEvent> =>
  fc
    .tuple(fc.uuid(), fc.record(fields as Record<string, fc.Arbitrary<unknown>>))
    .map(([id, chosen]) => ({ ...emptyEvent, id, ...chosen }) as UsageEvent)
