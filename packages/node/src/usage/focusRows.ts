/**
 * Charges and credits as rows of FOCUS 1.3, the open format of FinOps tools, dataset "Cost and Usage".
 *
 * Rule: usage#focus. Columns come in the order of their names, and those that FOCUS does not define behind them. An empty cell is null.
 */
import { csvCell, formatUsd, safeCsvCell } from "@gatewarden/core/internal"
import type { Charge } from "../control/charges.ts"

/** Who bills what to whom. */
export interface FocusBill {
  readonly account_id: string
  readonly account: string
  /** Who issues the invoices and offers the service. */
  readonly issuer: string
}

/** What a row is printed of. */
export interface FocusNames {
  readonly workspaces: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, string>>
}

export interface FocusCredit {
  readonly id: string
  readonly amount_nanos: bigint
  readonly note: string
  readonly created_at: string
}

type Cell = string | null
type Row = Readonly<Record<string, Cell>>

const startOfMonth = (day: string): string => `${day.slice(0, 7)}-01T00:00:00Z`

const secondsOf = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

const endOfMonth = (day: string): string => secondsOf(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7))))

const dayMillis = 86_400_000

const periods = (day: string): Row => ({
  BillingPeriodStart: startOfMonth(day),
  BillingPeriodEnd: endOfMonth(day),
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: secondsOf(Date.parse(`${day}T00:00:00Z`) + dayMillis)
})

/** No discount and no commitment is known here, so that all costs are the billed one. */
const costs = (nanos: bigint): Row => {
  const usd = formatUsd(nanos)
  return { BilledCost: usd, ContractedCost: usd, EffectiveCost: usd, ListCost: usd }
}

const parties = ({ account_id, account, issuer }: FocusBill, host: string): Row => ({
  BillingAccountId: account_id,
  BillingAccountName: account,
  BillingCurrency: "USD",
  HostProviderName: host,
  InvoiceIssuerName: issuer,
  ProviderName: issuer,
  PublisherName: host,
  ServiceProviderName: issuer,
  ServiceCategory: "AI and Machine Learning",
  ServiceName: "Model Inference",
  ServiceSubcategory: "Generative AI"
})

/** `global` is no region. */
const regions: Readonly<Record<string, string>> = { europe: "Europe", us: "United States" }

const unit = "Tokens"

const usageRow =
  (bill: FocusBill, { workspaces, keys }: FocusNames) =>
  ({ of, sums }: Charge): Row => {
    const day = of.day ?? ""
    const provider = of.provider ?? ""
    const region = regions[of.data_region ?? ""]
    const quantity = String(sums.prompt_tokens + sums.completion_tokens)
    const isCorrection = of.correction !== null
    return {
      ...periods(day),
      ...costs(sums.cost_nanos),
      ...parties(bill, provider),
      ChargeCategory: "Usage",
      ChargeClass: isCorrection ? "Correction" : null,
      ChargeDescription: `${isCorrection ? "Correction of requests" : "Requests"} to ${of.model} at ${provider}`,
      ChargeFrequency: "Usage-Based",
      ConsumedQuantity: quantity,
      ConsumedUnit: unit,
      InvoiceId: `${bill.account_id}/${day.slice(0, 7)}`,
      PricingCategory: "Standard",
      PricingQuantity: quantity,
      PricingUnit: unit,
      RegionId: region === undefined ? null : of.data_region,
      RegionName: region ?? null,
      ResourceId: of.api_key_hash,
      ResourceName: keys[of.api_key_hash ?? ""] ?? null,
      ResourceType: of.api_key_hash === null ? null : "API Key",
      SkuId: of.model,
      SkuMeter: unit,
      SkuPriceId: `${of.model} at ${of.endpoint_tag ?? provider}`,
      SubAccountId: of.workspace_id,
      SubAccountName: workspaces[of.workspace_id ?? ""] ?? of.workspace_id,
      Tags: of.tags,
      x_App: of.app,
      x_ByokCost: formatUsd(sums.byok_cost_nanos),
      x_ByokRequests: String(sums.byok_requests),
      x_CachedTokens: String(sums.cached_tokens),
      x_CacheWriteTokens: String(sums.cache_write_tokens),
      x_CompletionTokens: String(sums.completion_tokens),
      x_EndpointTag: of.endpoint_tag,
      x_ExternalUser: of.external_user,
      x_PromptTokens: String(sums.prompt_tokens),
      x_ReasoningTokens: String(sums.reasoning_tokens),
      x_Requests: String(sums.requests),
      x_UserId: of.user_id
    }
  }

/** What is granted lowers what is to be paid, and no invoice of usage has it. */
const creditRow =
  (bill: FocusBill) =>
  ({ amount_nanos, note, created_at }: FocusCredit): Row => ({
    ...periods(created_at.slice(0, 10)),
    ...costs(-amount_nanos),
    ...parties(bill, bill.issuer),
    ChargeCategory: "Credit",
    ChargeDescription: note === "" ? (amount_nanos < 0n ? "Credit revoked" : "Credit granted") : note,
    ChargeFrequency: "One-Time"
  })

const focusColumns = [
  ...["BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd"],
  ...["BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency"],
  ...["ChargePeriodEnd", "ChargePeriodStart", "ConsumedQuantity", "ConsumedUnit", "ContractedCost", "EffectiveCost"],
  ...["HostProviderName", "InvoiceId", "InvoiceIssuerName", "ListCost", "PricingCategory", "PricingQuantity"],
  ...["PricingUnit", "ProviderName", "PublisherName", "RegionId", "RegionName", "ResourceId", "ResourceName"],
  ...["ResourceType", "ServiceCategory", "ServiceName", "ServiceProviderName", "ServiceSubcategory", "SkuId"],
  ...["SkuMeter", "SkuPriceId", "SubAccountId", "SubAccountName", "Tags", "x_App", "x_ByokCost", "x_ByokRequests"],
  ...["x_CachedTokens", "x_CacheWriteTokens", "x_CompletionTokens", "x_EndpointTag", "x_ExternalUser"],
  ...["x_PromptTokens", "x_ReasoningTokens", "x_Requests", "x_UserId"]
]

export const focusHeader = `${focusColumns.join(",")}\r\n`

/** A text of spaces alone is null, too. */
const line =
  (isSafe: boolean) =>
  (row: Row): string => {
    const print = isSafe ? safeCsvCell : csvCell
    const cells = focusColumns.map((name) => row[name] ?? "")
    return `${cells.map((cell) => (cell.trim() === "" ? "" : print(cell))).join(",")}\r\n`
  }

export const printUsageRows = (
  bill: FocusBill,
  names: FocusNames,
  isSafe: boolean,
  charges: readonly Charge[]
): string => charges.map(usageRow(bill, names)).map(line(isSafe)).join("")

export const printCreditRows = (bill: FocusBill, isSafe: boolean, credits: readonly FocusCredit[]): string =>
  credits.map(creditRow(bill)).map(line(isSafe)).join("")
