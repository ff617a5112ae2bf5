/** Reasons of errors about the server itself, and what it depends on. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const serviceReasons = {
  unexpected_failure: {
    statuses: [500],
    means: "The server failed unexpectedly.",
    remedy: "Report the request id to the operator."
  },
  store_unavailable: {
    statuses: [500, 503],
    means:
      "The database does not answer. Nothing was changed. The status is 503 in operations that declare it in openapi.json, else 500.",
    remedy: "Retry later."
  },
  outcome_unknown: {
    statuses: [500],
    means: "The connection to the database broke during a commit: the change was made, or it was not.",
    remedy: "Read the resource before you retry, or retry with the same Idempotency-Key."
  },
  provider_failed: {
    statuses: [502],
    means: "The upstream provider failed, or sent an invalid response.",
    remedy: "Retry later, or ask the provider."
  },
  file_storage_unavailable: {
    statuses: [500, 503],
    means:
      "The file storage does not answer. The status is 503 in operations that declare it in openapi.json, else 500.",
    remedy: "Retry after the seconds of Retry-After, or later where there is none."
  },
  draining: {
    statuses: [503],
    means: "The server is shutting down.",
    remedy: "Retry at once; another process answers."
  }
} as const satisfies ReasonTable
