/** What engines have compiled, so that a pattern is compiled once. Imports nothing of Effect, so that a thread can load it alone. */
import type { PatternEngineFunctions } from "./re2jsEngine.ts"

/** A cache of compiled patterns; the oldest entry is evicted when it is full. */
export const keptPatterns = <T>(capacity: number) => {
  const engines = new WeakMap<PatternEngineFunctions, Map<string, T>>()
  return (engine: PatternEngineFunctions, name: string, make: () => T): T => {
    const made = engines.get(engine) ?? new Map<string, T>()
    engines.set(engine, made)
    const known = made.get(name)
    if (known !== undefined) return known
    const oldest = made.size >= capacity ? made.keys().next().value : undefined
    if (oldest !== undefined) made.delete(oldest)
    const fresh = make()
    made.set(name, fresh)
    return fresh
  }
}
