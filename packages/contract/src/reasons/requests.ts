/** Reasons of errors about what a request is. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const requestsReasons = {
  invalid_request: {
    statuses: [400],
    means: "A field of the body, the query or the path breaks its rule; `issues` names each.",
    remedy: "Correct the fields that `issues` names."
  },
  invalid_json: {
    statuses: [400],
    means: "The body is not one JSON object in strict UTF-8.",
    remedy: "Send one JSON object in UTF-8; the issue names the position of the fault."
  },
  invalid_header: {
    statuses: [400],
    means: "A request header has a malformed value, or the request is not valid HTTP.",
    remedy: "Correct the header that the issue names."
  },
  invalid_idempotency_key: {
    statuses: [400],
    means: "The Idempotency-Key is not 1 to 255 visible ASCII characters.",
    remedy: "Send 1 to 255 visible ASCII characters, such as a UUID."
  },
  idempotency_key_reused: {
    statuses: [400],
    means: "The Idempotency-Key was used before, with another body or query.",
    remedy: "Use a new key for each distinct request."
  },
  unknown_path: {
    statuses: [404],
    means: "The API has no such path.",
    remedy: "Compare the path with openapi.json.",
    call: "GET /openapi.json lists every path"
  },
  public_url_required: {
    statuses: [404],
    means:
      "The server listens for other machines and does not know by which address clients reach it, so it gives none. The Host header is not used, because the client writes it.",
    remedy: "Ask the operator to set GATEWARDEN_PUBLIC_URL to the address of the base path and to restart the server."
  },
  not_found: {
    statuses: [404],
    means: "The resource does not exist, or this key may not see it.",
    remedy: "Check the id, and that the key belongs to the account of the resource.",
    call: "List the resources: GET /guardrails, GET /keys, GET /workspaces"
  },
  method_not_allowed: {
    statuses: [405],
    means: "The path exists, but not with this method.",
    remedy: "Use a method that the Allow header lists."
  },
  removed_operation: {
    statuses: [410],
    means: "The public API had this operation and removed it.",
    remedy: "Do not call it again. The operator of the server grants credits with `gatewarden credits grant`."
  },
  payload_too_large: {
    statuses: [413],
    means: "The body is larger than the operation accepts.",
    remedy: "Send a smaller body, or several requests."
  },
  unsupported_media_type: {
    statuses: [415],
    means: "The operation does not accept this Content-Type, or the body has a Content-Encoding.",
    remedy: "Send the Content-Type that openapi.json names, without compression."
  },
  too_many_repetitions: {
    statuses: [429],
    means: "Too many requests with this Idempotency-Key wait for the first one.",
    remedy: "Wait as long as Retry-After says. Retry after a response, not before."
  },
  request_timeout: {
    statuses: [408],
    means: "The request arrived more slowly than the server allows.",
    remedy: "Send the request again over a faster connection."
  },
  uploads_in_flight: {
    statuses: [503],
    means: "The server has reached its limit of file uploads in flight, in bytes.",
    remedy: "Retry after the seconds of Retry-After."
  },
  key_uploads_in_flight: {
    statuses: [429],
    means: "The key or its account has reached its limit of file uploads in flight, in bytes; the issue says which.",
    remedy: "Retry after the seconds of Retry-After, with fewer uploads at once."
  },
  bodies_in_flight: {
    statuses: [503],
    means: "The server has reached its limit of long request bodies in flight, in bytes.",
    remedy: "Retry after the seconds of Retry-After."
  },
  key_bodies_in_flight: {
    statuses: [429],
    means:
      "The key or its account has reached its limit of long request bodies in flight, in bytes; the issue says which.",
    remedy: "Retry after the seconds of Retry-After, with fewer long bodies at once."
  },
  answers_in_flight: {
    statuses: [503],
    means:
      "Too many bytes of long answers wait to be read by their clients: of the key, of its account, or of all; or too many long answers, or changes, of the account wait to be made. The issue says which.",
    remedy:
      "Read the answers that are open, or wait for the changes, then retry after the seconds of Retry-After, with a smaller limit or fewer requests at once."
  },
  rate_limited: {
    statuses: [429],
    means: "The key or the account has reached a rate limit; the issue names it.",
    remedy: "Retry after the seconds of Retry-After."
  },
  quota_exceeded: {
    statuses: [400],
    means:
      "The account or the workspace has reached a storage quota, or the half of it that API keys may use; the issue names it.",
    remedy:
      "Delete what is not needed, use a management key in place of an API key, or ask the operator to raise the quota."
  }
} as const satisfies ReasonTable
