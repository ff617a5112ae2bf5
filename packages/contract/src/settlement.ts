/**
 * What follows an admission: a data plane renews its hold, settles it with what the request used, or cancels it.
 *
 * Rule: admissions#settlement, money#amounts. Money is a decimal string.
 */
import * as z from "zod"
import { Charge, holdSeconds, usdText } from "./budget.ts"
import { json, operation, optionalJson } from "./operation.ts"
import { dataOf, text, timestamp } from "./primitives.ts"
import { SettlementReport } from "./usage.ts"

export const RenewAdmission = z
  .object({
    hold_seconds: holdSeconds.nullish().describe("Seconds from now until the hold expires, 30 to 3600. Default: 600.")
  })
  .meta({ id: "RenewAdmission", description: "How long the hold lasts from now on." })
export type RenewAdmission = z.output<typeof RenewAdmission>

/** The report may also come flat, without `event`. */
export const SettleAdmission = z
  .object({ event: SettlementReport })
  .meta({ id: "SettleAdmission", description: "Usage of the admitted request." }) as z.ZodType<
  { readonly event: SettlementReport },
  { readonly event: z.input<typeof SettlementReport> } | z.input<typeof SettlementReport>
>
export type SettleAdmission = z.output<typeof SettleAdmission>

/** A report may have whatever its admission had. */
const maxSettledBytes = 33_554_432

export const Settlement = z
  .object({
    charged: z.array(Charge).describe("Charges, one for each budget."),
    overdraft_usd: usdText.describe("Largest part of a charge above its limit, in USD.")
  })
  .meta({ id: "Settlement", description: "Charges of a settled admission." })
export type Settlement = z.output<typeof Settlement>

export const exampleAdmissionId =
  "XAIPFcRCexS187C3ompeTV6Kew9fehwtMwtvTpo_DkpbnTxsHy8KfhGJQUOuLhf7_u0Na0736IKxauZcJZYX7x-CnMuBlc9yGgBpW4bwAbKTyW1tggo6UD--Qw1djhM"

const admissionParams = z.object({ id: text(1, 128).describe("Id of the admission.") })

export const renewAdmission = operation({
  id: "renewAdmission",
  method: "POST",
  path: "/gateway/admissions/:id/renewal",
  tag: "Gateway",
  changes: "usage",
  summary: "Hold on for longer",
  access: "managementKey",
  gatewayKey: true,
  params: admissionParams,
  body: optionalJson(RenewAdmission),
  success: {
    schema: dataOf(
      z.object({ expires_at: timestamp.describe("Time when the hold expires, in UTC.") }).describe("State of the hold.")
    )
  },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: exampleAdmissionId },
    body: { hold_seconds: 600 },
    response: { data: { expires_at: "2026-01-05T09:50:00.000Z" } }
  }
})

export const settleAdmission = operation({
  id: "settleAdmission",
  method: "POST",
  path: "/gateway/admissions/:id/settlement",
  tag: "Gateway",
  changes: "usage",
  summary: "Report what a request cost",
  description:
    'Records the usage event under the admission\'s id and charges the budgets that were held, in one transaction. Settling again changes nothing and answers the same. The report may also be sent as `{ "event": … }`.',
  access: "managementKey",
  gatewayKey: true,
  params: admissionParams,
  body: {
    ...json(SettleAdmission, maxSettledBytes),
    repairs: true,
    flat: { field: "event", schema: SettlementReport }
  },
  success: { schema: dataOf(Settlement) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: exampleAdmissionId },
    body: {
      created_at: "2026-01-05T09:31:00.000Z",
      model: "acme/sonnet",
      provider: "acme",
      prompt_tokens: 1200,
      completion_tokens: 340,
      cost_usd: "0.0087"
    },
    response: { data: { charged: [], overdraft_usd: "0" } }
  }
})

export const cancelAdmission = operation({
  id: "cancelAdmission",
  method: "DELETE",
  path: "/gateway/admissions/:id",
  tag: "Gateway",
  changes: "usage",
  summary: "Give back what is held",
  access: "managementKey",
  gatewayKey: true,
  params: admissionParams,
  success: {
    schema: dataOf(
      z
        .object({ released: z.literal(true).describe("Always `true`: nothing is held any more.") })
        .describe("State of the hold.")
    )
  },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: exampleAdmissionId }, response: { data: { released: true } } }
})
