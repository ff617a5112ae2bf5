/** Throws requests at an installation: never a 500, never an undeclared status, always the envelope. */
import type { StorePorts } from "@gatewarden/core/store"
import { describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { rawDoor } from "../doors.ts"
import { inTime } from "../inTime.ts"
import { Installation } from "../Installation.ts"
import type { World } from "../World.ts"
import { type HostileRequest, hostileRequest, withKnown } from "./hostileRequest.ts"
import { problems } from "./problems.ts"
import { requireLayer } from "../stores/storeUnderTest.ts"

const setting = (name: string): number | undefined => {
  const text = process.env[name]
  return text === undefined || text === "" ? undefined : Number(text)
}

const seed = fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31

/** An account is left before its lists grow long, and because a request may have deleted what makes it useful. */
const requestsPerAccount = 150
const shrinkMillis = 60_000

/** Every string under these names is something that a later request may name. */
const namesThings = new Set(["id", "hash", "slug", "code", "file_id"])

const thingsIn = (value: unknown): readonly string[] => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" ? (namesThings.has(name) ? [member] : []) : thingsIn(member)
  )
}

const show = (request: HostileRequest, target: string): string => {
  const body =
    typeof request.body === "string" ? request.body : request.body && `bytes ${Array.from(request.body).join(" ")}`
  const text = `${request.key} key: ${request.method} ${JSON.stringify(target)} ${JSON.stringify(request.headers)} ${body ?? ""}`
  return text.length > 4000 ? `${text.slice(0, 4000)}…` : text
}

export const fuzzSuite = (name: string, store: Layer.Layer<StorePorts, unknown>, usualRequests: number): void => {
  requireLayer(store)
  const requests = setting("GATEWARDEN_FUZZ_REQUESTS") ?? usualRequests
  const millis = shrinkMillis + requests * 40
  describe(`hostile requests on ${name}`, () => {
    it(
      `${requests} of them are answered as declared`,
      async () => {
        console.info(`GATEWARDEN_SEED=${seed}`)
        const installation = await Installation.start({ store, door: rawDoor })
        let world: World | undefined
        let sent = 0
        /** What answers named, by the group of operations that named it. */
        const pools = new Map<string, string[]>()
        const tally = new Map<number, number>()

        const learn = async (tag: string, response: Response) => {
          const type = response.headers.get("content-type") ?? ""
          if (!type.startsWith("application/json")) return
          const pool = pools.get(tag) ?? []
          pool.push(...thingsIn(JSON.parse(await response.text())).slice(0, 5))
          pools.set(tag, pool.slice(-40))
        }

        const fire = async (request: HostileRequest): Promise<void> => {
          if (world === undefined || sent++ % requestsPerAccount === 0) {
            world = await installation.newWorld()
            pools.clear()
          }
          installation.clock.now += request.pause
          const pool = [...(pools.get(request.tag ?? "") ?? []), world.workspace_id]
          const target = withKnown(request.target, pool)
          const key =
            request.key === "none" ? undefined : request.key === "management" ? world.managementKey : world.normalKey
          const response = await inTime(
            installation.door.fetch(installation.basePath + target, {
              method: request.method,
              headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...request.headers },
              ...(request.body === undefined ? {} : { body: request.body })
            })
          ).catch((cause: unknown) => {
            throw new Error(`${show(request, target)}\n  ${String(cause)}`)
          })
          const copy = response.clone()
          const found = await problems(request.method, target, response)
          tally.set(response.status, (tally.get(response.status) ?? 0) + 1)
          if (found.length > 0) throw new Error(`${show(request, target)}\n  ${found.join("\n  ")}`)
          if (request.tag !== undefined && response.ok && request.method !== "HEAD") await learn(request.tag, copy)
        }

        try {
          const details = await fc.check(fc.asyncProperty(hostileRequest, fire), {
            numRuns: requests,
            seed,
            interruptAfterTimeLimit: millis,
            markInterruptAsFailure: true
          })
          console.info(
            [...tally]
              .sort(([a], [b]) => a - b)
              .map(([status, count]) => `${status}: ${count}`)
              .join("  ")
          )
          if (!details.failed) return
          const { errorInstance, numRuns, numShrinks } = details
          if (errorInstance === null) throw new Error(`only ${numRuns} of ${requests} requests within ${millis} ms`)
          throw new Error(
            `request ${numRuns}, shrunk ${numShrinks} times; again with GATEWARDEN_SEED=${seed}\n${inspect(errorInstance)}`
          )
        } finally {
          await installation.stop()
        }
      },
      millis + 30_000
    )
  })
}
