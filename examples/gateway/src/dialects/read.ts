/** What the bodies of several APIs have in common. */
import { ProviderPreferences } from "@gatewarden/contract"
import * as z from "zod"
import type { Malformed } from "./Dialect.ts"

const name = z.string().min(1).max(512)

/** Fields of each. What else a body has is read by its API alone. */
export const requestOf = {
  model: name.nullish(),
  models: z.array(name).max(100).nullish(),
  provider: ProviderPreferences.nullish(),
  stream: z.boolean().nullish(),
  user: z.string().nullish(),
  session_id: z.string().max(256).nullish()
}

/** Settings that the model does not read, so that no filter looks into them and no budget counts them: they are what they are called. */
export const settingsOf = {
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  service_tier: z
    .string()
    .regex(/^[a-z_]{1,32}$/)
    .nullish()
}

/** A hundred paths of this length make a short answer: bodies may have long names, and nest. */
const maxPath = 400

export const notTaken = (path: string, message: string): Malformed["issues"][number] => ({
  path: path.slice(0, maxPath),
  code: "unsupported",
  message
})

/** A preset may have messages and settings that only a chat has a place for. */
export const presetIssues = (asked: {
  readonly model?: string | null | undefined
  readonly models?: readonly string[] | null | undefined
  readonly [other: string]: unknown
}): Malformed["issues"] => {
  const names = [asked.model, ...(asked.models ?? [])]
  return [
    ...(asked["preset"] == null ? [] : ["preset"]),
    ...(names.some((each) => each?.includes("@preset/") === true) ? ["model"] : [])
  ].map((path) => notTaken(path, "Presets are taken at /chat/completions"))
}
