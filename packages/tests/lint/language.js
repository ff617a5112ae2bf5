// @ts-check
/**
 * Measures the language of the documentation per 1,000 words of prose, and fails where a page leaves its budget.
 *
 * `npm run lint` runs it; `node packages/tests/lint/language.js --all` prints every page. `docs/internals/writing.md` explains the budgets.
 * `LANGUAGE_ROOT`, a folder with a final slash, measures other documents: its test uses it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = process.env.LANGUAGE_ROOT ?? fileURLToPath(new URL("../../../", import.meta.url))

/**
 * @typedef {{ readonly clauses?: number, readonly negations?: number, readonly you?: number, readonly blocks?: number,
 *   readonly longest: number, readonly plain?: boolean }} Budget
 */

/** At most so many clauses and negations, at least so many times "you" and code blocks, no longer sentence, and only plain words. */
/** @type {Record<"guide" | "rule" | "decision", Budget>} */
const budgets = {
  guide: { clauses: 3, negations: 12, you: 10, blocks: 10, longest: 30, plain: true },
  rule: { clauses: 6, negations: 20, longest: 30 },
  decision: { longest: 40 }
}

/** A page is measured by the first folder that it is in; generated pages are not. */
/** @type {readonly (readonly [RegExp, Budget | null])[]} */
const kinds = [
  [/^docs\/reference\//, null],
  [/^docs\/rules\/README\.md$/, null],
  [/^docs\/internals\/nouns\.md$/, null],
  [/^docs\/rules\//, budgets.rule],
  [/^docs\/(?:decisions|internals)\//, budgets.decision],
  [/^docs\/(?:README|glossary|comparison|features|benchmarks)\.md$/, { ...budgets.guide, you: 0, blocks: 0 }],
  [/^(?:README\.md|docs\/.*\.md)$/, budgets.guide]
]

const clauses = /\b(?:what|who|whose|whom|whoever|whatever|that of|those of)\b/gi
const negations = /\b(?:not|no|never|nothing|nobody|none|neither|nor|without|unless|cannot)\b|n't\b/gi
const you = /\b(?:you|your|yours|yourself)\b/gi

/**
 * Words that guides do not use, each with its replacement. `docs/glossary.md` lists them for people. A word is here only if
 * no guide needs its everyday use.
 *
 * @type {readonly (readonly [RegExp, string])[]}
 */
const avoided = [
  [/\b(?:a|an|each|every|its|one|the|this) turn\b(?! (?:on|off|into|of the event loop))/gi, "lease, or batch"],
  [/\b(?:a|each|every|the) reading\b(?! of)|\breadings\b/gi, "decoded text"],
  [/\blook(?:s|ed|ing)? at\b/gi, "check, or read"],
  [/\bdoors?\b/gi, "entry point"],
  [/\bmend(?:s|ed|ing)?\b/gi, "fix"],
  [/\bbears?\b/gi, "has"],
  [/\bhears? (?:of|about)\b/gi, "receives"],
  [/\b(?:told|tells|tell) of\b/gi, "reports"],
  [/\bforgets\b|\bforgotten\b/gi, "removes, removed"],
  [/\bversion before\b/gi, "previous version"],
  [/\banew\b/gi, "again"],
  [
    /\bis (?:a )?(?:40[0-9]|41[0-9]|42[0-9]|503)\b(?! (?:kB|MB|KiB|MiB|ms|s|µs|requests|days|characters))/gi,
    "returns the status"
  ]
]

/** Paragraphs and items of lists; code becomes one word, and tables, headings and quotations of code are left out. */
const proseOf = (/** @type {string} */ page) =>
  page
    .replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, "\n")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^\|.*$/gm, "\n")
    .replace(/^#+ .*$/gm, "\n")
    .replace(/`[^`\n]+`/g, "code")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/https?:\S+/g, "link")
    .replace(/<[^>]+>/g, " ")
    .replace(/[*_]{1,3}/g, "")

const wordsOf = (/** @type {string} */ text) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,-]*/gu) ?? []

const sentencesOf = (/** @type {string} */ prose) =>
  prose
    .split(/\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+/)
    .flatMap((paragraph) => paragraph.replace(/\s+/g, " ").split(/(?<=[.!?:]["”)]?)\s+/))
    .filter((sentence) => wordsOf(sentence).length > 0)

const measure = (/** @type {string} */ page) => {
  const prose = proseOf(page)
  const words = wordsOf(prose).length
  const count = (/** @type {RegExp} */ pattern) => ((prose.match(pattern)?.length ?? 0) * 1000) / Math.max(words, 1)
  const sentences = sentencesOf(prose)
  return {
    words,
    sentence: words / Math.max(sentences.length, 1),
    clauses: count(clauses),
    negations: count(negations),
    you: count(you),
    blocks: ((page.match(/^```\w/gm)?.length ?? 0) * 1000) / Math.max(words, 1),
    avoided: avoided.flatMap(([pattern, instead]) => (prose.match(pattern) ?? []).map((word) => ({ word, instead }))),
    long: sentences.map((sentence) => ({ sentence, words: wordsOf(sentence).length }))
  }
}

const pages = [
  "README.md",
  ...readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
]

const all = process.argv.includes("--all")
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
/** @type {string[]} */
const faults = []
for (const page of pages.sort()) {
  if (only.length > 0 && !only.some((part) => page.includes(part))) continue
  const kind = kinds.find(([pattern]) => pattern.test(page))
  const measured = measure(readFileSync(`${root}${page}`, "utf8"))
  if (all || only.length > 0)
    console.log(
      `${page}: ${measured.words} words, ${measured.sentence.toFixed(1)} a sentence; per 1,000: what/who ${measured.clauses.toFixed(1)}, ` +
        `negations ${measured.negations.toFixed(1)}, you ${measured.you.toFixed(1)}, blocks ${measured.blocks.toFixed(1)}`
    )
  const budget = kind?.[1]
  if (budget === undefined || budget === null) continue
  for (const name of /** @type {const} */ (["clauses", "negations"])) {
    const most = budget[name]
    if (most !== undefined && measured[name] > most)
      faults.push(`${page}: ${measured[name].toFixed(1)} ${name} in 1,000 words, at most ${most}`)
  }
  for (const name of /** @type {const} */ (["you", "blocks"])) {
    const least = budget[name]
    if (least !== undefined && measured[name] < least)
      faults.push(`${page}: ${measured[name].toFixed(1)} ${name} in 1,000 words, at least ${least}`)
  }
  if (budget.plain === true)
    for (const { word, instead } of measured.avoided) faults.push(`${page}: "${word}": write ${instead}`)
  for (const { sentence, words } of measured.long)
    if (words > budget.longest)
      faults.push(`${page}: ${words} words in one sentence, at most ${budget.longest}: ${sentence}`)
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
