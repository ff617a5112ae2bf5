/** `GET /models/{id}`, which OpenAI's clients ask for: one model of the catalog, as the list of models has it. */
import { errorMessages } from "@gatewarden/contract"
import type { Gatewarden } from "@gatewarden/core"
import { type Answer, answerJson, refusal } from "./Answer.ts"

/** Of `/models/…`: paths of the management API. */
const notModels = /^\/models\/(?:count|user|.*\/endpoints)$/

/** The name in a path; `undefined` where it names no model. */
export const modelIn = (path: string): string | undefined => {
  if (!path.startsWith("/models/") || notModels.test(path)) return undefined
  try {
    return decodeURIComponent(path.slice("/models/".length))
  } catch {
    return undefined
  }
}

export const oneModel = async (
  { basePath, fetch }: Pick<Gatewarden, "basePath" | "fetch">,
  id: string,
  request_id: string,
  headers: Readonly<Record<string, string>>
): Promise<Answer> => {
  const [author = "", slug = author, ...more] = id.split("/")
  // `.` and `..` would name other paths of the management API.
  if (more.length > 0 || [author, slug].some((segment) => /^\.{0,2}$/.test(segment)))
    return refusal(404, errorMessages[404], { request_id, reason: "unknown_model" })
  const base = basePath === "/" ? "" : basePath
  const path = `/model/${encodeURIComponent(author)}/${encodeURIComponent(slug)}`
  const answered = await fetch(new Request(`http://localhost${base}${path}`, { headers }))
  const value = (await answered.json()) as { readonly data?: object }
  return answerJson(answered.status, answered.ok ? { object: "model", owned_by: author, ...value.data } : value)
}
