/**
 * `npm run bench`: the measure of each promise of speed. `npm run bench -- SUBJECT` runs one of the longer programs, each of which says
 * what it takes.
 */
const subjects: Readonly<Record<string, () => Promise<unknown>>> = {
  growth: () => import("./growth/growth.ts"),
  stalls: () => import("./stalls/stalls.ts"),
  start: () => import("./start/start.ts"),
  usage: () => import("./usage/usage.ts")
}

const subject = process.argv[2]
if (subject === undefined || subject.startsWith("-")) await import("./bench.ts")
else {
  const program = subjects[subject]
  if (program === undefined) throw new Error(`Expected one of ${Object.keys(subjects).join(", ")}, not ${subject}`)
  // Each reads its own options.
  process.argv.splice(2, 1)
  await program()
}
