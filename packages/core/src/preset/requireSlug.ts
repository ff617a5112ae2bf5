import { presetSlugPattern } from "@gatewarden/contract"
import { Effect } from "effect"
import { invalid } from "../value/failure.ts"

/** A malformed slug is 400, where a malformed id would be 404 (Rule: presets#slugs). */
export const requireSlug = Effect.fnUntraced(function* (slug: string) {
  if (!presetSlugPattern.test(slug))
    return yield* invalid("invalid_preset_slug", "path.slug", "Expected 1 to 128 letters, digits, `.`, `_`, `~` or `-`")
})
