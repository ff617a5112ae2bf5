import { randomBytes } from "node:crypto"
import { startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import type { Bench } from "../openBench.ts"
import type { Reading } from "../Measure.ts"
import { median } from "../median.ts"

const starts = 3

const measureStart = async (environment: Readonly<Record<string, string>>): Promise<number> => {
  const start = performance.now()
  const server = await startServerProcess({ environment })
  const answered = await fetch(new URL("/readyz", server.url))
  const seconds = (performance.now() - start) / 1000
  await server.stop()
  if (!answered.ok) throw new Error(`/readyz answered ${answered.status}`)
  return seconds
}

const ready = (
  name: string,
  atMost: number,
  environment: (bench: Bench) => Promise<Record<string, string>>
): Reading => ({
  kind: "reading",
  name,
  unit: "s",
  atMost,
  gated: false,
  read: async (bench) => {
    const seconds: number[] = []
    for (let index = 0; index < starts; index++) seconds.push(await measureStart(await environment(bench)))
    return { value: median(seconds) }
  }
})

/** From the start of the process to its answer to `/readyz`. The schema is made on the way. */
export const timeToReady: readonly Reading[] = [
  ready("Time to ready, empty PostgreSQL", 1.5, async ({ createDatabase, keyring }) => ({
    DATABASE_URL: await createDatabase(),
    GATEWARDEN_KEYRING: keyring
  })),
  ready("Time to ready, fresh embedded store", 5, async () => ({
    DATABASE_URL: "",
    GATEWARDEN_KEYRING: `bench:${randomBytes(32).toString("base64")}`
  }))
]
