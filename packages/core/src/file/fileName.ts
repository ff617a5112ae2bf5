/** The rules for file names. A name is only shown, never used as a path. Rule: files#file-names. */
import { codePoints } from "@gatewarden/contract"

const maxLength = 255

/** Why a name is refused; undefined if it is accepted. */
export const fileNameProblem = (name: string): string | undefined => {
  if (name === "") return "Expected a name of the file"
  if (codePoints(name) > maxLength) return `Expected a name of at most ${maxLength} characters`
  return /\p{Cc}/u.test(name) ? "Expected a name without control characters" : undefined
}

/** The part after the last dot in lower case, `""` without one. */
export const extensionOf = (name: string): string => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
