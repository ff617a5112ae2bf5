/** A configuration as `config print` shows it: every variable with its value and where that came from, secrets hidden. */
import type { Configuration } from "./readConfiguration.ts"

export const configurationTable = ({ entries }: Configuration): string => {
  const rows = entries.map(({ name, shown, source }) => [name, shown ?? "", source] as const)
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length))
  return rows
    .map(([name, shown, source]) => `${name.padEnd(width(0))}  ${shown.padEnd(width(1))}  ${source}`)
    .join("\n")
}

export const configurationJson = ({ entries }: Configuration): string =>
  JSON.stringify(
    Object.fromEntries(entries.map(({ name, shown, source }) => [name, { value: shown, source }])),
    null,
    2
  )
