/** Reasons of errors about usage, admissions, the catalog and files. Rule: errors#reasons. */
import type { ReasonTable } from "./ReasonTable.ts"

export const usageReasons = {
  private_endpoint_state: {
    statuses: [409],
    means:
      "The private endpoint is a draft where the request needs an activated one, or the other way round, or it changed meanwhile.",
    remedy:
      "Read it with GET /private-endpoints/{id}. Delete an activated endpoint to create it anew with another deployment."
  },
  private_endpoint_unvalidated: {
    statuses: [409],
    means:
      "No validation of the private endpoint has passed for the deployment that it names now; the issues name the failed checks.",
    remedy: "Send POST /private-endpoints/{id}/validate, mend what it names, then activate the endpoint."
  },
  external_user_exists: {
    statuses: [409],
    means: "The account has registered an external user of this name, who may be deactivated.",
    remedy: "Send PATCH /external-users/{user} with is_active to activate it."
  },
  private_provider_exists: {
    statuses: [409],
    means: "A provider of the catalog or of this account has the name or the slug.",
    remedy: "Send another name."
  },
  private_provider_in_use: {
    statuses: [409],
    means: "Private endpoints run under the provider.",
    remedy: "Delete them first: GET /private-endpoints lists them."
  },
  unknown_metric: {
    statuses: [400],
    means: "The metric does not exist.",
    remedy: "Read the names from GET /analytics/meta."
  },
  unknown_dimension: {
    statuses: [400],
    means: "The dimension does not exist.",
    remedy: "Read the names from GET /analytics/meta."
  },
  unknown_classifier: {
    statuses: [400],
    means: "No recorded usage event of this account carries this classifier.",
    remedy: "Record a usage event with the classifier first, or correct the id."
  },
  invalid_time_range: {
    statuses: [400],
    means: "The end is not after the start, or one of them is malformed.",
    remedy: "Send a start before the end, both with seconds and an offset: 2026-01-31T00:00:00Z."
  },
  invalid_date_window: {
    statuses: [400],
    means: "A date is impossible, the end is before the start, or the dataset begins later.",
    remedy: "Send real dates from 2025-01-01 on, the start not after the end."
  },
  filter_combination: {
    statuses: [400],
    means: "The request combines filters or dimensions that exclude each other; the issue names the field.",
    remedy: "Send one of them, or the same one throughout."
  },
  period_unavailable: {
    statuses: [400],
    means: "Rankings by category or language_type have no daily period, because they are sampled.",
    remedy: "Send the period week or month, or leave category and language_type out."
  },
  analytics_timeout: {
    statuses: [408],
    means: "The query took longer than the server allows, and was cancelled.",
    remedy: "Query a shorter time range, or fewer dimensions."
  },
  usage_required: {
    statuses: [400],
    means: "The admission held nothing and the report has no usage, so the cost cannot be computed.",
    remedy: "Report prompt_tokens and completion_tokens, or cost_usd.",
    call: 'POST /gateway/admissions/{id}/settlement {"created_at":"…","model":"…","provider":"…","prompt_tokens":812,"completion_tokens":96}'
  },
  price_unknown: {
    statuses: [400],
    means: "The catalog has no price for this model at this provider, so the cost cannot be computed.",
    remedy: "Report cost_usd, or add the price to the catalog.",
    call: "PUT /gateway/catalog with the pricing of the endpoint, or send cost_usd"
  },
  future_event: {
    statuses: [400],
    means: "An event has a time more than five minutes in the future.",
    remedy: "Correct the clock of the sender."
  },
  not_admitted: {
    statuses: [403],
    means: "No live admission of this process grants this credential.",
    remedy: "Read the credential while the admission is live, in the process that admitted the request."
  },
  unknown_admission: {
    statuses: [404],
    means: "The account has no admission with this id.",
    remedy:
      "Check the id, and that the key acts in the account of the admission. After a rotation of the keyring, add the former key again.",
    call: "POST /gateway/admissions returns the id to settle"
  },
  reserved_model: {
    statuses: [400],
    means: "This canonical slug is reserved.",
    remedy: "Give the model another canonical slug."
  },
  model_taken: {
    statuses: [400],
    means: "The installation's catalog has a model with this id or canonical slug.",
    remedy: "Give the model another id and canonical slug."
  },
  invalid_file: {
    statuses: [400],
    means: "The upload is not one file of an accepted kind with content; the issue says what is wrong.",
    remedy: "Send one file in the field file, of a kind that the issue or openapi.json names."
  },
  file_not_downloadable: {
    statuses: [400],
    means:
      "The file was uploaded, or its provider keeps its content back: what was uploaded cannot be downloaded again.",
    remedy: "Keep the original. Only files that a provider made can be downloaded."
  }
} as const satisfies ReasonTable
