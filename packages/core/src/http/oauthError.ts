/**
 * The error body that OAuth clients read, in place of the envelope.
 *
 * Rule: authorization#oauth-errors. Source: RFC 6749 5.2.
 */
import { type ErrorStatus, type OAuthError, type Reason, reasons } from "@gatewarden/contract"
import type { Printed } from "./envelope.ts"

const ofReason: { readonly [R in Reason]?: OAuthError["error"] } = {
  invalid_grant: "invalid_grant",
  unsupported_grant_type: "unsupported_grant_type",
  invalid_scope: "invalid_scope"
}

const ofStatus: { readonly [S in ErrorStatus]?: OAuthError["error"] } = {
  429: "temporarily_unavailable",
  500: "server_error",
  503: "temporarily_unavailable"
}

/** The characters that a description may have. */
const printable = (text: string): string => text.replaceAll('"', "'").replaceAll(/[^ !#-[\]-~]/g, "?")

/** `docs`: what the address of the page on a reason begins with, as `errorDocsFor` has it. */
export const oauthError = ({ status, reason, issues = [] }: Printed, docs: string): OAuthError => ({
  error: ofReason[reason] ?? ofStatus[status] ?? "invalid_request",
  error_description: printable(
    issues.length === 0
      ? reasons[reason].means
      : issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  ),
  error_uri: docs + reason
})
