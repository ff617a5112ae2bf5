/**
 * Validates the options of `createGatewarden` before anything is opened. Hosts in JavaScript, and those that read settings from an
 * environment, pass values that the types exclude. Without this check, an unknown region or a timeout that is not a number would fail
 * later, in requests.
 */
import { Region, unknownOptions } from "@gatewarden/contract/internal"
import * as z from "zod"
import type { PresidioOptions } from "../filter/PresidioOptions.ts"
import { basePathPattern } from "../http/AppSettings.ts"
import { docUrlPattern } from "../http/target.ts"
import { publicUrlPattern } from "../http/publicAddress.ts"
import { type Retained, fewestUsageDays, mostUsageDays, retained, retainedNames } from "../ports/retention.ts"
import { checkKeyFormat } from "../access/keyFormat.ts"
import { defaultStorageLimits } from "../ports/storageQuotas.ts"
import type { GatewardenOptions } from "./createGatewarden.ts"
import { holdsLayer, holdsStore } from "./layerInstance.ts"

const isFunction = (value: unknown): boolean => typeof value === "function"
const aFunction = z.custom(isFunction, "must be a function").optional()

const aRegion = "must be global, europe or us, or { hosts } with one of these for each host name"
const isUsageDays = (days: unknown): boolean =>
  Number.isInteger(days) && Number(days) >= fewestUsageDays && Number(days) <= mostUsageDays

const isRetention = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).every(
    ([name, kept]) =>
      (name === "usage_days" && (kept === undefined || isUsageDays(kept))) ||
      (Object.hasOwn(retained, name) && Number.isFinite(kept) && kept >= retained[name as Retained].min_seconds)
  )

const anHttpUrl = z.url({ protocol: /^https?$/ })

/** Whether a module has the used functions of `@opentelemetry/api`. */
const tracing = z.object({
  trace: z.object({ getTracer: z.custom(isFunction) }),
  context: z.object({ active: z.custom(isFunction), with: z.custom(isFunction) })
})

const options = z.object(
  {
    store: z.custom(holdsStore, "must be a store, such as memory() or postgres({ url })"),
    platform: z.custom(holdsLayer, "must be a platform, such as nodePlatform()").optional(),
    keyring: z.string("must be text, <id>:<base64 of 32 bytes>[,…]").optional(),
    managementKey: z
      .string("must be 32 to 256 visible ASCII characters")
      .regex(/^[\x21-\x7e]{32,256}$/, "must be 32 to 256 visible ASCII characters")
      .refine((key) => checkKeyFormat(key) !== "bad_checksum", "looks like one of ours, but its checksum is wrong")
      .optional(),
    authenticate: aFunction,
    fetch: aFunction,
    logger: aFunction,
    onBudgetWarning: aFunction,
    mail: aFunction,
    presidio: z
      .custom(
        (value) => z.object({ url: anHttpUrl }).safeParse(value).success,
        "must be { url } with an http or https URL"
      )
      .optional(),
    openTelemetry: z
      .custom((value) => tracing.safeParse(value).success, "must be the module @opentelemetry/api")
      .optional(),
    basePath: z
      .custom(
        (value) => typeof value === "string" && basePathPattern.test(value),
        'must be a path such as "/api/v1", without a slash at its end'
      )
      .optional(),
    docUrl: z
      .custom(
        (value) => typeof value === "string" && docUrlPattern.test(value),
        'must be an http or https URL that ends with "/", "#" or "=", such as "https://docs.example.com/errors/"'
      )
      .optional(),
    publicUrl: z
      .custom(
        (value) => typeof value === "string" && publicUrlPattern.test(value),
        'must be an http or https URL without a slash at its end, such as "https://gateway.example.com/api/v1"'
      )
      .optional(),
    authPage: z.boolean("must be true or false").optional(),
    wire: z.enum(["spec", "openrouter", "auto"], "must be spec, openrouter or auto").optional(),
    analyticsTimeoutMillis: z
      .custom(
        (value) => typeof value === "number" && value >= 1 && value <= 3_600_000,
        "must be milliseconds, from 1 to 3600000"
      )
      .optional(),
    storage: z
      .object(
        Object.fromEntries(
          Object.keys(defaultStorageLimits).map((name) => [name, z.int("must be an integer").min(0).optional()])
        )
      )
      .optional(),
    background: z.boolean("must be true or false").optional(),
    retention: z
      .custom(
        (value) => isRetention(value),
        `must be seconds by name, ${retainedNames.join(", ")}, or usage_days, from ${fewestUsageDays}`
      )
      .optional(),
    region: z.union([Region, z.object({ hosts: z.record(z.string(), Region) })], aRegion).optional()
  },
  "expected an object of options"
)

/** Options with members of their own. */
const members: Readonly<Record<string, readonly string[]>> = {
  presidio: Object.keys({
    url: true,
    fetch: true,
    headers: true,
    language: true,
    scoreThreshold: true,
    timeoutMillis: true
  } satisfies Record<keyof PresidioOptions, true>),
  storage: Object.keys(defaultStorageLimits),
  region: ["hosts", "trustProxy"]
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** A sentence for each option that does not exist, and for each member of an option. */
const unknownMembers = (given: unknown): readonly string[] => {
  if (!isObject(given)) return []
  const nested = Object.entries(given).flatMap(([name, value]) =>
    isObject(value) && members[name] !== undefined
      ? unknownOptions(value, members[name]).map((problem) => `${name}: ${problem}`)
      : []
  )
  return [...unknownOptions(given, Object.keys(options.shape)), ...nested]
}

/** Throws a `TypeError` that names every invalid option and repeats no value. */
export const checkOptions = (given: GatewardenOptions): void => {
  const parsed = options.safeParse(given)
  const broken = parsed.error?.issues.map(({ path, message }) => [...path.slice(0, 1), message].join(" ")) ?? []
  const problems = [...broken, ...unknownMembers(given)]
  if (problems.length > 0) throw new TypeError(`createGatewarden: ${problems.join("; ")}`)
}
