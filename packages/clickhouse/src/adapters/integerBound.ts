import type { OperatorName } from "@gatewarden/contract/internal"
import type { Decimal } from "@gatewarden/core/internal"

type Comparison = Exclude<OperatorName, "in" | "not_in">

/** No sum of events comes near it. */
const farthest = 2n ** 126n

const floorOf = ({ digits, scale }: Decimal): { readonly whole: bigint; readonly isWhole: boolean } => {
  const unit = 10n ** BigInt(scale)
  const rest = digits % unit
  return { whole: digits / unit - (rest < 0n ? 1n : 0n), isWhole: rest === 0n }
}

/** The comparison of an integer with a decimal number, as one with an integer; or what it comes to, whatever the integer. */
export const integerBound = (
  operator: Comparison,
  decimal: Decimal
): boolean | { readonly operator: Comparison; readonly integer: bigint } => {
  const { whole, isWhole } = floorOf(decimal)
  if (whole > farthest || whole < -farthest)
    return (
      operator === "neq" ||
      (whole < 0n ? operator === "gt" || operator === "gte" : operator === "lt" || operator === "lte")
    )
  if (isWhole) return { operator, integer: whole }
  switch (operator) {
    case "eq":
      return false
    case "neq":
      return true
    case "gt":
    case "gte":
      return { operator: "gt", integer: whole }
    case "lt":
    case "lte":
      return { operator: "lte", integer: whole }
  }
}
