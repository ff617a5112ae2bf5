/** What tells whether two copies of a table are the same. */
import { createHash } from "node:crypto"

export interface TableSum {
  readonly rows: number
  /** SHA-256 of the lines in their order, each with a line feed, lowercase hex. */
  readonly sha256: string
}

/** Sums lines up as they go by. */
export const summing = () => {
  const hash = createHash("sha256")
  let rows = 0
  return {
    add: (lines: readonly string[]): void => {
      rows += lines.length
      if (lines.length > 0) hash.update(`${lines.join("\n")}\n`)
    },
    sum: (): TableSum => ({ rows, sha256: hash.digest("hex") })
  }
}

export const isSameSum = (a: TableSum, b: TableSum): boolean => a.rows === b.rows && a.sha256 === b.sha256
