import * as fc from "fast-check"

/** Few slugs, so that presets are met again; some that are none. */
export const presetParams = {
  slug: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("support", "a.b~c", "SUPPORT", "x".repeat(128)) },
    { weight: 1, arbitrary: fc.constantFrom("...", "x".repeat(129), "a b", "é") }
  )
}
