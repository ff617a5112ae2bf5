/** The native engine, where a host has installed the package `re2`. */
import type { Re2Constructor } from "@gatewarden/core/effect"
import { createRequire } from "node:module"

export interface FoundRe2 {
  /** Where it was loaded from, for a thread to load it too. */
  readonly path: string
  readonly RE2: Re2Constructor
}

/** Undefined where it is not installed, or was not built for this platform. */
export const findRe2 = (name = "re2"): FoundRe2 | undefined => {
  const require = createRequire(import.meta.url)
  try {
    return { path: require.resolve(name), RE2: require(name) as Re2Constructor }
  } catch {
    return undefined
  }
}
