/**
 * The differences between the published description and the public client, and the choice between them.
 *
 * Rule: requests#wire-profiles, requests#additional-fields. Handlers answer the superset that both allow; this file has the rest.
 */
import type {
  Endpoint,
  FileDeleted,
  FileList,
  Model,
  OperationId,
  OperationShape,
  StoredFile
} from "@gatewarden/contract/internal"

/** The form of responses: that of the published description (`spec`), or that of the public client. Rule: requests#wire-profiles. */
export type WireProfile = "spec" | "openrouter"

/** The forms that are told from the client: `openai` is `spec`, with files in the shape of OpenAI's API (Rule: files#shapes). */
export type AnsweredProfile = WireProfile | "openai"

/** The User-Agents of generated clients, in any language; every other client gets the form of the published description. */
const clientAgents: readonly (readonly [RegExp, AnsweredProfile])[] = [
  [/^speakeasy-sdk\//, "openrouter"],
  [/^(?:Async)?OpenAI\//, "openai"]
]

export const wireProfileOf = (setting: WireProfile | "auto", userAgent = ""): AnsweredProfile =>
  setting === "auto" ? (clientAgents.find(([agent]) => agent.test(userAgent))?.[1] ?? "spec") : setting

export const successStatus = (profile: AnsweredProfile, { success }: OperationShape): 200 | 201 | 202 | 204 =>
  success.status ?? (profile === "openrouter" && success.creates === true ? 201 : 200)

/** An endpoint's `status` is an integer here and for the public client, a decimal string in the published description. */
export const endpointForms: Readonly<Record<WireProfile, (endpoint: Endpoint) => Endpoint>> = {
  spec: (endpoint) => ({ ...endpoint, status: String(endpoint.status) }),
  openrouter: (endpoint) => endpoint
}

const withStatusText = ({ data }: { readonly data: Model }) => ({
  data: { ...data, endpoints: data.endpoints.map(endpointForms.spec) }
})

/** The public client tells files of several origins apart by this, and takes one without it for unknown. */
const withShape = <A extends StoredFile | FileDeleted | FileList>(file: A) => ({
  _shape: "openrouter" as const,
  ...file
})

const withShapes = (list: FileList) => ({ ...withShape(list), data: list.data.map(withShape) })

/** A file as OpenAI's API has it. What it is kept for is known of OpenAI's own files only. */
const asOpenAi = ({ id, filename, size_bytes, created_at, purpose = "user_data" }: StoredFile) => ({
  id,
  object: "file",
  bytes: size_bytes,
  created_at: Math.floor(Date.parse(created_at) / 1000),
  filename,
  purpose,
  status: "processed"
})

const asOpenAiList = ({ data, first_id, last_id, has_more }: FileList) => ({
  object: "list",
  data: data.map(asOpenAi),
  first_id,
  last_id,
  has_more
})

const asOpenAiDeleted = ({ id }: FileDeleted) => ({ id, object: "file", deleted: true })

type Rewrite = Partial<Record<OperationId, (body: never) => unknown>>

/** Operations whose answers differ in more than the status. */
const rewrites: Record<AnsweredProfile, Rewrite> = {
  spec: { listEndpoints: withStatusText },
  openrouter: { deleteFile: withShape, uploadFile: withShape, getFile: withShape, listFiles: withShapes },
  openai: {
    listEndpoints: withStatusText,
    deleteFile: asOpenAiDeleted,
    uploadFile: asOpenAi,
    getFile: asOpenAi,
    listFiles: asOpenAiList
  }
}

export const rewriteAnswer = (profile: AnsweredProfile, id: OperationId, body: unknown): unknown => {
  const rewrite = rewrites[profile][id]
  return rewrite === undefined ? body : rewrite(body as never)
}
