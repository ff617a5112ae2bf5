/**
 * Runs custom patterns: RE2 syntax, linear in the text for each match. `re2js` by default; a platform may give one that is
 * faster and finds the same.
 *
 * Rule: content-filters#patterns.
 */
import { Context } from "effect"
import { type PatternEngineFunctions, re2jsEngine } from "./re2jsEngine.ts"

export const PatternEngine = Context.Reference<PatternEngineFunctions>("gatewarden/PatternEngine", {
  defaultValue: () => re2jsEngine
})
