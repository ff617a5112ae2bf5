/**
 * The borders between messages, because a phrase or a number may begin in one message and end in the next.
 *
 * Contents are joined in the order of messages, and those of users once more without the messages between them. Of long contents only the
 * edges are scanned again.
 */
import type { ChatRole } from "@gatewarden/contract"
import type { PromptText } from "./PromptTexts.ts"

/** A stretch of a text, by its index among the texts of the request. */
export interface Stretch {
  readonly text: number
  readonly turn: number
  readonly from: number
  readonly to: number
}

/** Stretches that follow each other, of more than one message. */
export interface Seam {
  /** `null`: of several. */
  readonly role: ChatRole | null
  readonly stretches: readonly Stretch[]
  /** Whether a word of one may go on in the next, as only in what one person wrote. */
  readonly joinsWords: boolean
}

/** Characters that are scanned at either edge of a text; no finding across a border is longer on either side. */
const reach = 96

const stepSize = 1_000

interface Turn {
  readonly text: string
  readonly role: ChatRole | null
  readonly turn: number
  readonly index: number
}

function* seamsAlong(
  turns: readonly Turn[],
  joinsWords: boolean,
  isApart: (before: Turn, after: Turn) => boolean
): Generator<Seam | undefined> {
  let stretches: Stretch[] = []
  let roles = new Set<ChatRole | null>()
  const seam = (): Seam | undefined => {
    const [role = null] = roles
    const found =
      stretches.length > 1 && stretches[0]?.turn !== stretches.at(-1)?.turn
        ? { role: roles.size === 1 ? role : null, stretches, joinsWords }
        : undefined
    stretches = []
    roles = new Set()
    return found
  }
  for (const [place, one] of turns.entries()) {
    const before = turns[place - 1]
    if (before !== undefined && isApart(before, one)) yield seam()
    const { text, turn, index, role } = one
    const isLong = text.length > 2 * reach
    stretches.push({ text: index, turn, from: 0, to: isLong ? reach : text.length })
    roles.add(role)
    if (isLong) {
      yield seam()
      stretches.push({ text: index, turn, from: text.length - reach, to: text.length })
      roles.add(role)
    }
    if (place % stepSize === stepSize - 1) yield undefined
  }
  yield seam()
}

const isOfUsers = ({ role }: Turn): boolean => role === "user"

/** Undefined between two steps. */
export function* seamsOf(texts: readonly PromptText[]): Generator<Seam | undefined> {
  const turns: Turn[] = []
  for (const [index, { text, role, turn }] of texts.entries()) {
    if (turn !== -1 && text !== "") turns.push({ text, role, turn, index })
    if (index % stepSize === stepSize - 1) yield undefined
  }
  if (turns[0]?.turn === turns.at(-1)?.turn) return
  // Where two of users follow each other, the second chain has them.
  yield* seamsAlong(
    turns,
    false,
    (before, after) => before.turn !== after.turn && isOfUsers(before) && isOfUsers(after)
  )
  yield* seamsAlong(turns.filter(isOfUsers), true, () => false)
}
