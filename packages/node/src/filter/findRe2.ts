/** The native engine, where a host has installed the package `re2`. */
import type { Re2Constructor } from "@gatewarden/core/internal/scanning"

export interface FoundRe2 {
  /** Where it was loaded from, for a thread to load it too. */
  readonly path: string
  readonly RE2: Re2Constructor
}

/** Undefined where it is not installed, or was not built for this platform. */
export const findRe2 = (name = "re2"): FoundRe2 | undefined => {
  try {
    // Out of sight of bundlers, which would look for a package that most hosts do not have.
    const require = process.getBuiltinModule("node:module").createRequire(import.meta.url)
    return { path: require.resolve(name), RE2: require(name) as Re2Constructor }
  } catch {
    return undefined
  }
}
