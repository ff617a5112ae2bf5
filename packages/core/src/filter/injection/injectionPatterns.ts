/**
 * The named patterns of `regex-prompt-injection`. Rule: content-filters#prompt-injection. Source: families after the OWASP cheat
 * sheet on prompt injection. Every gap is bounded, so that a step never looks far.
 */
import { wordStart } from "./patternBeginnings.ts"

/** Also what sets words off, joins them in names and in addresses, quotes lines, or stands between them unseen; and pictures. */
const gap =
  "[\\s,;:_*+~#>\"'`\\u2600-\\u27bf\\ud83c-\\ud83e\\udc00-\\udfff\\ufe0f\\u00ad\\u200b-\\u200d\\u2060\\ufeff-]{1,8}"
const filler = `(?:(?:all|any|every|the|of|your|my|our|these|those|this|that|previous|prior|above|earlier|preceding|existing|current|original|initial|given|such)${gap}){0,6}`
const earlier = "(?:previous|prior|above|earlier|preceding|existing|original|initial|former|past)"
const orders = "(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|orders?|directions?|context)"
const earlierOrders = `${filler}(?:${earlier}${gap})${filler}${orders}`
const own = `(?:(?:your|system|hidden|initial|original|secret|internal|developer|full|entire|exact)${gap})`
const secretText = `${own}{0,4}(?:prompts?|instructions?|rules|guidelines|system message)`
/** Rules and instructions are spoken of in everyday requests, too: those meant here are said to be the model's own. */
const ownText = `(?:${own}{1,4}(?:instructions?|rules|guidelines)|${own}{0,4}(?:prompts?|system message))`
const guards =
  "(?:safety|security|content|ethical|moral)(?:[\\s-]{1,4}(?:filters?|policies|policy|measures?|guidelines?|checks?|protocols?|restrictions?|controls?|mechanisms?|guardrails?|rules?)){1,2}|guardrails?"
const special = "(?:developer|debug|admin(?:istrator)?|god|sudo|maintenance|unrestricted|root|jailbreak|dan)"

const order = (verb: string): string => `\\b${verb}${gap}(?:about${gap})?${earlierOrders}`
const yourOrders = (verb: string, sought: string): string =>
  `\\b${verb}${gap}(?:me${gap}|us${gap})?(?:(?:with|the|your|all|of|everything in|exactly)${gap}){0,4}?${sought}`

const sources = {
  ignore_previous_instructions: order("(?:ignore|ignoring)"),
  disregard_instructions: `\\b(?:disregard|disregarding)${gap}${filler}${orders}`,
  forget_instructions: `\\bforget${gap}(?:(?:about|everything|what|you|were|told|and)${gap}){0,5}${filler}(?:${orders}|everything you (?:know|were told))`,
  new_instructions: `\\b(?:here are|follow|these are|your)${gap}(?:(?:the|your|my|these|are)${gap}){0,3}new${gap}(?:${orders})|\\bnew (?:system )?(?:instructions|directives):`,
  do_not_follow: `\\b(?:do not|don't|dont|stop|never)${gap}(?:follow|following|obey|obeying)${gap}${filler}${orders}`,
  supersede_instructions: `\\bsupersedes?${gap}${filler}${orders}`,
  void_instructions: `\\b(?:${orders})${gap}(?:(?:are|is|have been|above|now|hereby)${gap}){0,4}(?:void|null and void|invalid|cancell?ed|revoked)\\b|\\bvoid${gap}${filler}${orders}`,
  developer_mode: `\\b(?:you are|you're|now)${gap}(?:(?:now|in)${gap}){0,3}developer${gap}mode|\\bdeveloper mode (?:enabled|activated|on)\\b`,
  enter_special_mode: `\\benter(?:ing)?${gap}(?:(?:into|the|a)${gap}){0,2}${special}${gap}mode`,
  activate_special_mode: `\\b(?:activate|enable|switch to|turn on)${gap}(?:(?:the|a)${gap}){0,2}${special}${gap}mode`,
  system_override: `\\bsystem${gap}override\\b|\\boverride${gap}(?:the${gap})?system\\b`,
  override_instructions: `\\boverride${gap}${filler}${orders}`,
  reveal_prompt: yourOrders("(?:reveal|disclose|expose|leak)", secretText),
  show_prompt: yourOrders("(?:show|display|tell|give)", ownText),
  what_instructions: `\\bwhat${gap}(?:are|were|is|was)${gap}(?:the${gap})?(?:${own}{1,4}instructions|${own}{0,4}prompt)\\b`,
  repeat_instructions: `\\b(?:repeat|recite)${gap}(?:(?:back|to me|all|of|the|your|verbatim|everything)${gap}){0,5}(?:${secretText}|text above|words above)`,
  output_prompt: yourOrders("(?:output|print|write out|dump|echo)", ownText),
  remove_restrictions: `\\b(?:remove|lift|drop)${gap}(?:(?:all|any|your|the|of)${gap}){0,4}(?:(?:safety|content|ethical)${gap})?(?:restrictions?|limitations?|constraints?|filters?)\\b`,
  act_unbound: `\\b(?:act|behave|respond|answer)${gap}(?:as if|as though|like)${gap}(?:you${gap})?(?:have no|without|had no|are not bound by|there are no)${gap}(?:any${gap})?(?:restrictions?|rules|limits|limitations|filters?|guidelines)`,
  pretend_different: `\\bpretend${gap}(?:(?:to be|you are|you're|that you are|that)${gap}){1,2}(?:(?:a|an|another|different|not|no|longer|unrestricted|uncensored|evil)${gap}){1,5}(?:ai|model|assistant|chatbot|bound|restricted|system|persona)\\b`,
  identity_hijack: `\\byou are (?:now|no longer)${gap}(?:(?:a|an|the|going to be|called)${gap}){0,3}(?:dan|an? ai|evil|unrestricted|uncensored|jailbroken|different|free|chatgpt|claude|assistant|bound)\\b|\\bfrom now on${gap}you (?:are|will be|act as)\\b`,
  dan_jailbreak: `\\bdo anything now\\b|\\b(?:act|respond|behave|answer)${gap}as${gap}(?:a${gap})?dan\\b|\\bdan mode\\b`,
  jailbreak_mode: `\\bjailbreak(?:en|ing)?${gap}(?:mode|prompt|enabled|activated)|\\bjailbroken\\b`,
  bypass_safety: `\\b(?:bypass|circumvent|evade|get around)(?:ing)?${gap}(?:(?:all|any|your|the|of)${gap}){0,4}(?:${guards})`,
  disable_safety: `\\b(?:disable|deactivate|turn off|switch off)${gap}(?:(?:all|any|your|the|of)${gap}){0,4}(?:${guards})`,
  ignore_safety: `\\b(?:ignore|disregard)${gap}(?:(?:all|any|your|the|of)${gap}){0,4}(?:${guards})`,
  system_tag_injection: "<\\/?\\s{0,4}(?:system|sys)\\s{0,4}>|<<\\/?sys>>",
  role_tag_injection: "<\\/?\\s{0,4}(?:assistant|developer|instructions?)\\s{0,4}>",
  role_delimiter_injection:
    "(?:^|\\n)\\s{0,4}(?:#{2,6}|-{3,6}|={3,6})\\s{0,4}(?:system|assistant|developer|instructions?)\\b",
  bracketed_role_spoofing: "\\[\\/?\\s{0,4}(?:system|assistant|developer|inst|admin)(?: message| prompt)?\\s{0,4}\\]",
  system_prefix_spoofing: "(?:^|\\n)\\s{0,4}(?:system|developer)(?: message| prompt)?\\s{0,4}:",
  control_token_injection:
    "<\\|\\s{0,4}(?:im_start|im_end|im_sep|endoftext|system|user|assistant|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|endofprompt)\\s{0,4}\\|>",
  deepseek_control_token_injection:
    "<[\uff5c|]\\s{0,4}(?:begin|end)[\u2581_]of[\u2581_](?:sentence|thinking)\\s{0,4}[\uff5c|]>|<[\uff5c|](?:User|Assistant)[\uff5c|]>"
} as const

export type InjectionPattern = keyof typeof sources

/** Sticky: they are tried where a match of them can begin. */
export const injectionPatterns: readonly { readonly name: InjectionPattern; readonly expression: RegExp }[] =
  Object.entries(sources).map(([name, source]) => ({
    name: name as InjectionPattern,
    expression: new RegExp(source.replace(/(^|\|)\\b/g, `$1${wordStart}`), "iy")
  }))

/** The words of the patterns that are also read with their inner letters in another order. */
export const injectionWords: readonly string[] =
  "ignore disregard forget previous prior above instructions instruction prompt prompts system override bypass reveal rules guidelines safety developer restrictions jailbreak disable everything filters directives".split(
    " "
  )

/** Every word that a pattern is made of; of one that may end in a letter, both. */
export const patternWords: readonly string[] = [
  ...new Set(
    Object.values(sources)
      .join("|")
      .replace(/\\u[\da-f]{4}|\\./g, " ")
      .match(/[a-z]{2,}\??/g)
      ?.flatMap((word) => (word.endsWith("?") ? [word.slice(0, -1), word.slice(0, -2)] : [word]))
      .filter((word) => word.length > 1)
  )
]
