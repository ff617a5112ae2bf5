/** Looks at everything that a server needs before and while it runs, and changes none of it. */
import { Effect, Exit } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { bucketOf } from "../config/fileVariables.ts"
import { readCatalog } from "../config/readCatalog.ts"
import type { Environment } from "../config/Environment.ts"
import { databaseDirectory } from "../store/openStore.ts"
import { checkAddress } from "./checkAddress.ts"
import { checkBucket } from "./checkBucket.ts"
import { checkDirectory } from "./checkDirectory.ts"
import { checkStore } from "./checkStore.ts"
import { checkUsageStore } from "./checkUsageStore.ts"
import { failure, fine, type Finding } from "./Finding.ts"
import { judgeConfiguration } from "./judgeConfiguration.ts"
import { judgeRuntime } from "./judgeRuntime.ts"

const require = createRequire(import.meta.url)

const versionOf = (name: string): string | undefined => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), "utf8"))
    return typeof manifest === "object" && manifest !== null && "version" in manifest
      ? String(manifest.version)
      : undefined
  } catch {
    return undefined
  }
}

const checkCatalog = Effect.fnUntraced(function* (path: string) {
  const read = yield* Effect.exit(readCatalog(path))
  if (Exit.isSuccess(read)) return fine("catalog", `${read.value.models.length} models in ${path}`)
  const reason = yield* Effect.flip(readCatalog(path))
  return failure("catalog", reason.lines.join("; "), `correct ${path}, or unset GATEWARDEN_CATALOG`, "configuration")
})

export const examine = Effect.fnUntraced(function* (environment: Environment) {
  const findings: Finding[] = [
    ...judgeRuntime({
      node: process.versions.node,
      effect: versionOf("effect"),
      platform: versionOf("@effect/platform-node")
    })
  ]
  const judged = judgeConfiguration({ environment, readFile: (path) => readFileSync(path, "utf8") })
  findings.push(...judged.findings)
  if (judged.configuration === undefined) return findings
  const { values, database } = judged.configuration
  const directory = values.GATEWARDEN_DATA_DIR
  findings.push(yield* Effect.promise(() => checkAddress(values.HOST, values.PORT)))
  if (values.GATEWARDEN_CATALOG !== undefined) findings.push(yield* checkCatalog(values.GATEWARDEN_CATALOG))
  const bucket = bucketOf(values)
  if (bucket !== undefined) findings.push(yield* checkBucket(bucket))
  const place = database.kind === "embedded" ? yield* Effect.promise(() => checkDirectory(directory)) : []
  findings.push(...place)
  // A directory that cannot be opened says no more of the database in it.
  if (!place.some(({ check, state }) => state === "fail" && (check === "data directory" || check === "moved")))
    findings.push(...(yield* checkStore(judged.configuration, databaseDirectory(directory))))
  findings.push(...(yield* checkUsageStore(judged.configuration)))
  return findings
})
