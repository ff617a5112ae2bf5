const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `90s`, `30m`, `24h`, `7d` or `0`; undefined when it is none of these. */
export const readDuration = (text: string): number | undefined => {
  const match = /^(?:0|(?<amount>\d{1,4})(?<unit>[smhd]))$/.exec(text)
  if (match === null) return undefined
  const { amount = "0", unit = "s" } = match.groups ?? {}
  return Number(amount) * units[unit as keyof typeof units]
}

/** Seconds as `readDuration` reads them, in the largest unit that is exact. */
export const printDuration = (seconds: number): string => {
  const unit = (["d", "h", "m", "s"] as const).find((name) => seconds > 0 && (seconds * 1_000) % units[name] === 0)
  return unit === undefined ? "0" : `${(seconds * 1_000) / units[unit]}${unit}`
}
