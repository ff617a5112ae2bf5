import { authenticate } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { hash } from "node:crypto"
import type { Reading } from "../Measure.ts"
import { median } from "../median.ts"
import { openLibrary } from "../openLibrary.ts"

const calls = 20_000
const rounds = 15

/** From the `Authorization` header to the caller, while the key is in the cache; beside it a digest and a map. */
export const authenticateCached: Reading = {
  kind: "reading",
  name: "Authentication of a cached key",
  unit: "µs",
  atMost: 3,
  gated: true,
  read: async (bench) => {
    const library = await openLibrary(bench)
    const micros = (start: number) => ((performance.now() - start) * 1000) / calls
    const ours = Effect.gen(function* () {
      const start = performance.now()
      for (let call = 0; call < calls; call++) yield* authenticate(bench.authorization)
      return micros(start)
    })
    const callers = new Map([[bench.keyHash, library.caller]])
    const bare = () => {
      const start = performance.now()
      for (let call = 0; call < calls; call++) {
        const key = bench.authorization.slice("Bearer ".length)
        if (callers.get(hash("sha256", key, "hex")) === undefined) throw new Error("The bare map does not know the key")
      }
      return micros(start)
    }
    const figures: { readonly ours: number; readonly bare: number }[] = []
    for (let round = 0; round < rounds; round++) figures.push({ ours: await library.run(ours), bare: bare() })
    await library.close()
    return { value: median(figures.map(({ ours }) => ours)), bare: median(figures.map(({ bare }) => bare)) }
  }
}
