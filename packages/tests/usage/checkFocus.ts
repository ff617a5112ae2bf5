/**
 * What FOCUS 1.3 says of the columns of a "Cost and Usage" dataset, as far as it can be told from rows.
 *
 * Source: version 1.3 of FOCUS, its requirements model and its attributes. Columns that it wants only of those
 * who have commitments, capacity, price lists, virtual currencies or split costs are not listed.
 */
import { parse } from "csv-parse/sync"

export type Row = Readonly<Record<string, string>>

type Type = "text" | "decimal" | "time" | "tags"

interface Column {
  readonly type: Type
  /** Must be there. */
  readonly mandatory: boolean
  /** `never`, or when it must be null (`false`), must not be null (`true`), or may be either. */
  readonly filled: "always" | "any" | ((row: Row) => boolean | undefined)
  readonly allowed?: readonly string[]
}

const column = (
  type: Type,
  filled: Column["filled"],
  { mandatory = true, allowed }: { readonly mandatory?: boolean; readonly allowed?: readonly string[] } = {}
): Column => ({ type, mandatory, filled, ...(allowed && { allowed }) })

const isCharged = (row: Row): boolean => row["ChargeCategory"] === "Usage" || row["ChargeCategory"] === "Purchase"

/** Of what has a price: not null for usage and purchases but corrections, null for taxes. */
const priced = (row: Row): boolean | undefined =>
  row["ChargeCategory"] === "Tax" ? false : isCharged(row) && row["ChargeClass"] !== "Correction" ? true : undefined

const withValue = (name: string) => (row: Row) => row[name] !== ""
const onlyWithValue = (name: string) => (row: Row) => (row[name] === "" ? false : undefined)

const consumed = (row: Row): boolean | undefined =>
  row["ChargeCategory"] !== "Usage" ? false : row["ChargeClass"] === "Correction" ? undefined : true

const conditional = { mandatory: false }

export const focusColumns: Readonly<Record<string, Column>> = {
  BilledCost: column("decimal", "always"),
  BillingAccountId: column("text", "always"),
  BillingAccountName: column("text", "always"),
  BillingCurrency: column("text", "always", { allowed: ["USD"] }),
  BillingPeriodEnd: column("time", "always"),
  BillingPeriodStart: column("time", "always"),
  ChargeCategory: column("text", "always", { allowed: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"] }),
  ChargeClass: column("text", "any", { allowed: ["Correction"] }),
  ChargeDescription: column("text", "always"),
  ChargeFrequency: column("text", "always", { mandatory: false, allowed: ["One-Time", "Recurring", "Usage-Based"] }),
  ChargePeriodEnd: column("time", "always"),
  ChargePeriodStart: column("time", "always"),
  ConsumedQuantity: column("decimal", consumed, conditional),
  ConsumedUnit: column("text", withValue("ConsumedQuantity"), conditional),
  ContractedCost: column("decimal", "always"),
  EffectiveCost: column("decimal", "always"),
  HostProviderName: column("text", "always"),
  InvoiceId: column("text", "any", conditional),
  InvoiceIssuerName: column("text", "always"),
  ListCost: column("decimal", "always"),
  PricingCategory: column("text", priced, {
    mandatory: false,
    allowed: ["Standard", "Dynamic", "Committed", "Other"]
  }),
  PricingQuantity: column("decimal", priced),
  PricingUnit: column("text", withValue("PricingQuantity")),
  // Deprecated in 1.3, and still mandatory.
  ProviderName: column("text", "always"),
  PublisherName: column("text", "always"),
  RegionId: column("text", "any", conditional),
  RegionName: column("text", withValue("RegionId"), conditional),
  ResourceId: column("text", "any", conditional),
  ResourceName: column("text", onlyWithValue("ResourceId"), conditional),
  ResourceType: column("text", withValue("ResourceId"), conditional),
  ServiceCategory: column("text", "always", { allowed: ["AI and Machine Learning"] }),
  ServiceName: column("text", "always"),
  ServiceProviderName: column("text", "always"),
  ServiceSubcategory: column("text", "always", { mandatory: false, allowed: ["Generative AI"] }),
  SkuId: column("text", priced, conditional),
  SkuMeter: column("text", onlyWithValue("SkuId"), conditional),
  SkuPriceId: column("text", priced, conditional),
  SubAccountId: column("text", "any", conditional),
  SubAccountName: column("text", withValue("SubAccountId"), conditional),
  Tags: column("tags", "any", conditional)
}

const isOfType: Readonly<Record<Type, (text: string) => boolean>> = {
  text: (text) => text.trim() !== "" && !text.includes("\ufffd"),
  // Without a plus, a comma, a unit or a fraction.
  decimal: (text) => /^-?\d+(\.\d+)?(E-?\d+)?$/.test(text),
  time: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text)),
  tags: (text) => {
    const tags: unknown = JSON.parse(text)
    return (
      typeof tags === "object" &&
      tags !== null &&
      !Array.isArray(tags) &&
      Object.values(tags).every((value) => value === null || ["string", "number", "boolean"].includes(typeof value))
    )
  }
}

/** What must hold between the columns of a row. */
const between: readonly (readonly [rule: string, holds: (row: Row) => boolean])[] = [
  [
    "a period of billing begins before it ends",
    (row) => (row["BillingPeriodStart"] ?? "") < (row["BillingPeriodEnd"] ?? "")
  ],
  [
    "a period of a charge begins before it ends",
    (row) => (row["ChargePeriodStart"] ?? "") < (row["ChargePeriodEnd"] ?? "")
  ],
  [
    "what a third party is paid costs nothing here",
    (row) => row["ProviderName"] === row["InvoiceIssuerName"] || row["BilledCost"] === "0"
  ],
  [
    "a credit is all in its billed cost",
    (row) =>
      row["ChargeCategory"] !== "Credit" ||
      ["ContractedCost", "EffectiveCost", "ListCost"].every((name) => row[name] === row["BilledCost"])
  ],
  [
    "a purchase is not by usage",
    (row) => row["ChargeCategory"] !== "Purchase" || row["ChargeFrequency"] !== "Usage-Based"
  ],
  [
    "a resource is not named as it is identified",
    (row) => row["ResourceId"] === "" || row["ResourceName"] !== row["ResourceId"]
  ]
]

/** A value of one column has only one of another. */
const functions = [
  ["ServiceName", "ServiceCategory"],
  ["ServiceName", "ServiceSubcategory"],
  ["SkuPriceId", "SkuId"]
] as const

/** The rows of a file, and what is wrong with them, each as a line. */
export const checkFocus = (csv: string): { readonly rows: readonly Row[]; readonly wrong: readonly string[] } => {
  const header: readonly string[] = (parse(csv, { to: 1 }) as string[][])[0] ?? []
  const rows: readonly Row[] = parse(csv, { columns: true })
  const own = header.filter((name) => !Object.hasOwn(focusColumns, name))
  const wrong = [
    ...Object.entries(focusColumns).flatMap(([name, { mandatory }]) =>
      mandatory && !header.includes(name) ? [`${name} is missing`] : []
    ),
    ...own.flatMap((name) => (/^x_[A-Z][A-Za-z]{0,47}$/.test(name) ? [] : [`${name} is no name of an own column`])),
    ...(header.slice(header.length - own.length).join() === own.join() ? [] : ["own columns are not the last ones"]),
    ...rows.flatMap((row, at) => wrongWith(row).map((what) => `row ${at + 1}: ${what}`)),
    ...functions.flatMap(([name, determined]) => {
      const pairs = new Set(rows.filter((row) => row[name] !== "").map((row) => `${row[name]}\n${row[determined]}`))
      const values = new Set([...pairs].map((pair) => pair.split("\n")[0]))
      return pairs.size === values.size ? [] : [`a ${name} has more than one ${determined}`]
    })
  ]
  return { rows, wrong }
}

const wrongWith = (row: Row): readonly string[] => [
  ...Object.entries(focusColumns).flatMap(([name, { type, filled, allowed }]) => {
    const cell = row[name]
    if (cell === undefined) return []
    const due = filled === "always" ? true : filled === "any" ? undefined : filled(row)
    if (cell === "") return due === true ? [`${name} is null`] : []
    if (due === false) return [`${name} is not null`]
    if (!isOfType[type](cell)) return [`${name} is no ${type}: ${cell}`]
    return allowed !== undefined && !allowed.includes(cell) ? [`${name} is not allowed to be ${cell}`] : []
  }),
  ...between.flatMap(([rule, holds]) => (holds(row) ? [] : [rule]))
]
