import { httpRace } from "../httpRace.ts"
import type { Race } from "../Measure.ts"

export const createByok: Race = {
  kind: "race",
  name: "POST a BYOK credential, encrypted",
  atLeast: 0.7,
  open: (bench) =>
    httpRace(bench, (index) => ({
      method: "POST",
      path: "/byok",
      body: {
        provider: bench.providers[index % bench.providers.length],
        name: `credential ${index}`,
        key: `sk-bench-${String(index).padStart(39, "0")}`
      }
    }))
}
