import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { authors, modelSlugs } from "../admission/traffic.ts"

export const listEndpoints = command("listEndpoints", {
  weight: 5,
  params: {
    author: fc.constantFrom(...authors),
    slug: fc
      .tuple(fc.constantFrom(...modelSlugs, "sonnet-2026-01-01"), fc.constantFrom("", "", ":free"))
      .map(([slug, variant]) => slug + variant)
  }
})
