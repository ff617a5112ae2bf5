import { compareText } from "../../value/text.ts"

/** The account whose turn it is: the first behind `after` that has any of these, else the first of all. */
export const turnOf = (rows: readonly { readonly account_id: string }[], after: string | null): string | undefined => {
  const accounts = rows.map(({ account_id }) => account_id).sort(compareText)
  return accounts.find((account_id) => after === null || compareText(account_id, after) > 0) ?? accounts[0]
}
