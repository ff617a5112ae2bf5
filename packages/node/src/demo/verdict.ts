import type { Performance } from "./runDemo.ts"

/** The last line: nothing holds that was not shown. */
export const verdict = ({ claims, seconds }: Performance): string => {
  const broken = claims.filter(({ holds }) => !holds).map(({ claim }) => claim)
  return broken.length === 0 && claims.length > 0
    ? `All ${claims.length} claims hold, in ${Math.round(seconds)} s.`
    : `${broken.length} of ${claims.length} claims do not hold: ${broken.join("; ")}.`
}
