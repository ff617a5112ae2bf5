import type * as z from "zod"

/** No one reads more than this. */
const shown = 20

/** A line for each broken rule, with its place. */
export const describeIssues = ({ issues }: z.ZodError): readonly string[] => {
  const lines = issues
    .slice(0, shown)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
  return issues.length <= shown ? lines : [...lines, `and ${issues.length - shown} more`]
}
