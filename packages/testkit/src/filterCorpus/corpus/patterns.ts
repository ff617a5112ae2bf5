import type { Corpus } from "./Corpus.ts"

/** Of a pattern as a user would write it, in RE2 syntax. */
export const customPattern = "ACME-\\d{6}"

export const patterns: Corpus = {
  positive: [
    "ACME-123456",
    "ticket ACME-123456.",
    '{"ticket":"ACME-123456"}',
    // Characters that nobody sees
    "ACME\u200b-123456",
    "A\u00adC\u00adM\u00adE-123456",
    "ACME-\u2060123456",
    "ACME-123\ufeff456",
    // Look-alikes
    "ＡＣＭＥ－１２３４５６",
    "АСМЕ-123456",
    "𝐀𝐂𝐌𝐄-𝟏𝟐𝟑𝟒𝟓𝟔",
    "ACME‑123456",
    "ACME–123456",
    "ACME-①②③④⑤⑥",
    "ÁĆMÉ-123456",
    // Encoded
    "ACME&#45;123456",
    "ACME&hyphen;123456",
    "&#x41;CME-123456",
    "ACME%2D123456",
    "%41%43%4D%45-123456",
    "ACME%252D123456",
    "ACME\\u002d123456",
    "\\x41CME-123456",
    "ACME\\u{2d}123456",
    "АСМЕ%2D123456",
    // Cut by markup and the ends of lines
    "ACME-<b>123</b>456",
    "<i>ACME</i>-123456",
    "ACME-**123456**",
    "`ACME`-`123456`",
    "ACME<!-- x -->-123456",
    "ACME&lt;b&gt;-123456",
    "ACME-123\n456 is it",
    "AC~~ME~~-123456",
    "ACME\\-123456"
  ],
  negative: [
    "ACME-12345",
    "ACME 123456",
    "ACME",
    "acme-123456",
    "ACM-123456",
    "ACME-12-3456",
    "ACME&123456",
    "ACME%20123456",
    "ACME\\n123456",
    "ACME&#58;123456",
    "ACME-&#65;23456",
    "ACME-12345&#65;",
    "<b>ACME</b> <i>123456</i>",
    "**ACME** 123456",
    "`ACME-`",
    "<td>ACME-</td><td>123456</td>",
    "ACME-<br>123456",
    "ACME-\n\n123456 rows",
    "A-C-M-E-123456",
    "ACME\u200b-12345",
    "АСМЕ-12345",
    "ＡＣＭＥ－１２３",
    "ACME-１２３",
    "A*C*M*E",
    "Acme <b>-</b> 123456",
    "ACME%2",
    "ACME%2D12345",
    "ACME&unknown;123456",
    "ACME-123 456",
    "ACME-123, 456",
    "ACME-123\n- 456",
    "AСME-12345б",
    "ACME\\--12345"
  ],
  missed: ["QUNNRS0xMjM0NTY=", "654321-EMCA", "A C M E - 1 2 3 4 5 6"],
  mistaken: []
}
