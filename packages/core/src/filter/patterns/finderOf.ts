import type { Finder } from "../readings/Span.ts"
import { keptPatterns } from "./keptPatterns.ts"
import type { PatternEngineFunctions } from "./re2jsEngine.ts"

const finders = keptPatterns<Finder>(2_000)

/** The compiled form of a pattern that `patternProblem` accepts. */
export const finderOf = (engine: PatternEngineFunctions, pattern: string): Finder =>
  finders(engine, pattern, () => engine.compile(pattern))
