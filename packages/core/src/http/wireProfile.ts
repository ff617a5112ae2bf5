/**
 * The differences between the published description and the public client, and the choice between them.
 *
 * Rule: requests#wire-profiles, requests#additional-fields. Handlers answer the superset that both allow; this file has the rest.
 */
import type { FileDeleted, Model, OperationId, OperationShape, StoredFile } from "@gatewarden/contract"

/** The form of responses: that of the published description (`spec`), or that of the public client. Rule: requests#wire-profiles. */
export type WireProfile = "spec" | "openrouter"

/** The User-Agent of the generated client; every other client gets the form of the published description. */
const clientAgent = "speakeasy-sdk/"

export const wireProfileOf = (setting: WireProfile | "auto", userAgent: string | undefined): WireProfile =>
  setting === "auto" ? (userAgent?.startsWith(clientAgent) ? "openrouter" : "spec") : setting

export const successStatus = (profile: WireProfile, operation: OperationShape): 200 | 201 =>
  profile === "openrouter" && operation.success.creates === true ? 201 : 200

/** An endpoint's `status` is an integer here and for the public client, a decimal string in the published description. */
const withStatusText = ({ data }: { readonly data: Model }) => ({
  data: { ...data, endpoints: data.endpoints.map((endpoint) => ({ ...endpoint, status: String(endpoint.status) })) }
})

/** The public client tells files of several origins apart by this, and takes one without it for unknown. */
const withShape = (file: StoredFile | FileDeleted) => ({ _shape: "openrouter" as const, ...file })

type Rewrite = Partial<Record<OperationId, (body: never) => unknown>>

/** Operations whose answers differ in more than the status. */
const rewrites: Record<WireProfile, Rewrite> = {
  spec: { listEndpoints: withStatusText },
  openrouter: { deleteFile: withShape, uploadFile: withShape, getFile: withShape }
}

export const rewriteAnswer = (profile: WireProfile, id: OperationId, body: unknown): unknown => {
  const rewrite = rewrites[profile][id]
  return rewrite === undefined ? body : rewrite(body as never)
}
