/** A whole gateway with keys, budgets and filters, beside one that has none of them: what a user of it feels. */
import { type GatewayRoute, openGatewayRoute, type Settling } from "../gatewayRoute.ts"
import type { HttpLoad } from "../HttpLoad.ts"
import type { Race, Reading } from "../Measure.ts"
import { median } from "../median.ts"
import { type Bench, connections } from "../openBench.ts"

const peer = "@portkey-ai/gateway, without any of it"

/** Measures are named by it. */
const named = (settling: Settling): string => (settling === "before" ? "Gateway" : "Gateway, settled behind")

const throughput = (settling: Settling): Race => ({
  kind: "race",
  name: `${named(settling)}: 64 keys with limits, a budget, filters; requests`,
  atLeast: 0.8,
  open: async (bench) => {
    const route = await openGatewayRoute(bench, settling)
    const loads = await route.connect(connections)
    return {
      ours: loads.ours.run,
      bare: { [peer]: loads.peer.run },
      pids: { ours: route.pids.ours, bare: { [peer]: route.pids.peer } },
      close: async () => {
        for (const load of Object.values(loads)) load.close()
        await route.close()
      }
    }
  }
})

type Loads = Awaited<ReturnType<GatewayRoute["connect"]>>

const warmUpMillis = 2_000
/** Before anything is measured: a program that has just started compiles what it runs. */
const beforeMillis = 8_000
const roundMillis = 1_000
const rounds = 7

/** Both gateways have done some work under load, as one that is used has. */
const runIn = async (route: GatewayRoute) => {
  const { ours, peer, upstream } = await route.connect(connections)
  for (const load of [ours, peer]) await load.run(beforeMillis)
  for (const load of [ours, peer, upstream]) load.close()
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN

/** Milliseconds at a percentile, the median of rounds in turn. */
const latencies = async (loads: Loads, part: number) => {
  const taken = { ours: [] as number[], peer: [] as number[], upstream: [] as number[] }
  const each = Object.entries(loads) as readonly (readonly [keyof Loads, HttpLoad])[]
  for (const [, load] of each) await load.run(warmUpMillis)
  for (let round = 0; round < rounds; round++)
    for (const [name, load] of each) taken[name].push(percentile(await load.latencies(roundMillis), part))
  return { ours: median(taken.ours), peer: median(taken.peer), upstream: median(taken.upstream) }
}

const reading = (
  settling: Settling,
  name: string,
  count: number,
  part: number,
  aboveUpstream: boolean,
  atMost?: number
): Reading => ({
  kind: "reading",
  name: `${named(settling)}: ${name}`,
  unit: "ms",
  atMost,
  gated: atMost !== undefined,
  read: async (bench: Bench) => {
    const route = await openGatewayRoute(bench, settling)
    await runIn(route)
    const loads = await route.connect(count)
    try {
      const { ours, peer, upstream } = await latencies(loads, part)
      const below = aboveUpstream ? upstream : 0
      return { value: ours - below, bare: peer - below }
    } finally {
      for (const load of Object.values(loads)) load.close()
      await route.close()
    }
  }
})

export const gateway = (["before", "behind"] as const).flatMap((settling) => [
  throughput(settling),
  reading(settling, "p50 at one connection, above the upstream's", 1, 0.5, true, 2),
  reading(settling, `p50 at ${connections} connections`, connections, 0.5, false),
  reading(settling, `p99 at ${connections} connections`, connections, 0.99, false)
])
