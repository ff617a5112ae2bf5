interface MaybeWellFormed {
  readonly isWellFormed?: () => boolean
}

/** A lone surrogate stands for no character; whatever reads UTF-8 sees U+FFFD, or refuses it, so all get U+FFFD. */
export const wellFormed = (text: string): string =>
  (text as MaybeWellFormed).isWellFormed?.() === true ? text : text.replace(/\p{Surrogate}/gu, "\ufffd")
