/**
 * The envelope of every error, and the closed list of statuses.
 *
 * Rule: errors#envelope, errors#messages.
 */
import * as z from "zod"
import { type Reason, reasons } from "./reasons.ts"

/** Every error status and the exact text of `error.message` that goes with it. */
export const errorMessages = {
  400: "Invalid request parameters",
  401: "Missing Authentication header",
  402: "Insufficient credits",
  403: "Only management keys can perform this operation",
  404: "Resource not found",
  405: "Method not allowed",
  408: "Operation timed out. Please try again later.",
  409: "Resource conflict. Please try again later.",
  410: "Operation no longer available",
  413: "Request payload too large",
  415: "Unsupported media type",
  429: "Rate limit exceeded",
  500: "Internal Server Error",
  502: "Provider returned error",
  503: "Service temporarily unavailable"
} as const

export type ErrorStatus = keyof typeof errorMessages

/**
 * Statuses that any request may get, in addition to those that its operation declares (Rule: requests#statuses-of-every-request): 408 and
 * 429 by a body that arrives too slowly, or beside too much else of its key.
 */
export const globalStatuses = [404, 405, 408, 413, 415, 429, 503] as const satisfies readonly ErrorStatus[]

/** One broken rule. `path` is dotted, from the body's root; query and path parameters start with `query.` and `path.`. */
export const Issue = z.object({ path: z.string(), code: z.string(), message: z.string() })
export type Issue = z.output<typeof Issue>

/** Why a request was refused. */
export const ErrorReason = z.enum(Object.keys(reasons) as [Reason, ...Reason[]])

/** Leads to a page on the reason. A URL reference: resolve it against the URL of the request (RFC 3986 5). */
export const docUrl = z.string().meta({
  description:
    "Leads to a page on the reason. A URL reference: resolve it against the URL of the request, unless it is absolute."
})

/** The body of every error answer; `code` equals the HTTP status. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.int(),
      message: z.string(),
      metadata: z
        .object({
          request_id: z.string(),
          reason: ErrorReason,
          doc_url: docUrl,
          issues: z.array(Issue)
        })
        .nullable()
        .optional()
    })
  })
  .meta({ id: "ErrorEnvelope" })
export type ErrorEnvelope = z.output<typeof ErrorEnvelope>
