import { envelope } from "@gatewarden/core/internal"
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"

/** Answers what cannot even be passed on as a request, in the envelope of every other refusal. `docs`: what its `doc_url` begins with. */
export const refuseMalformed = (response: ServerResponse, docs: string, path: string, message: string): void =>
  answerWithEnvelope(response, docs, 400, { path, code: "invalid_header", message })

/** The last resort: something failed where nothing is meant to. */
export const answerUnexpected = (response: ServerResponse, docs: string): void =>
  answerWithEnvelope(response, docs, 500)

const answerWithEnvelope = (
  response: ServerResponse,
  docs: string,
  status: 400 | 500,
  issue?: { readonly path: string; readonly code: string; readonly message: string }
): void => {
  const requestId = randomUUID()
  const reason = status === 400 ? "invalid_header" : "unexpected_failure"
  const body = JSON.stringify(envelope({ status, reason, issues: issue === undefined ? [] : [issue] }, requestId, docs))
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestId
  })
  response.end(response.req.method === "HEAD" ? undefined : body)
}
