import * as fc from "fast-check"
import { some } from "../modelBased/Thing.ts"

const rarely = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })

/** The default workspace and the gateway's own storage mostly, so that files are found again. */
export const fileQuery = {
  workspace_id: rarely(some("workspace")),
  provider: rarely(fc.constantFrom("openai", "anthropic", "google"))
}
