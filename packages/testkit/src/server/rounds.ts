/** How often a test of endurance repeats itself: as often as the variable says, else as few times as proves anything. */
export const rounds = (variable: string, usual: number): number => {
  const text = process.env[variable]
  return text === undefined || text === "" ? usual : Number(text)
}
