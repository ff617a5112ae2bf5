import type { Corpus } from "./Corpus.ts"

/** Put together here, so that nothing in this file looks like a credential; what comes of it spells "example" over and over. */
const letters = "Example0TestOnly1"
const some = (length: number): string => letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
const hex = (length: number): string => "0123456789abcdef".repeat(Math.ceil(length / 16)).slice(0, length)
const upper = (length: number): string => "EXAMPLE0TESTONLY".repeat(Math.ceil(length / 16)).slice(0, length)
const of = (prefix: string, rest: string): string => [prefix, rest].join("")

const openai = of("sk-", some(40))
const github = of("ghp_", some(36))
const key = of("AKIA", upper(16))
const wide = (text: string): string => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfe_e0))
const cut = (text: string, sign: string): string => `${text.slice(0, 12)}${sign}${text.slice(12)}`

export const secrets: Corpus = {
  positive: [
    `key ${openai}`,
    `OPENAI_API_KEY=${openai}`,
    `{"key":"${openai}"}`,
    of("sk-ant-api03-", some(48)),
    of("sk_test_", some(24)),
    of("rk_test_", some(24)),
    of("whsec_", some(32)),
    `token ${github}`,
    of("github_pat_", some(40)),
    of("glpat-", some(20)),
    key,
    `aws_secret_access_key = ${some(40)}`,
    of("AIza", some(35)),
    of("ya29.", some(60)),
    of("GOCSPX-", some(28)),
    of("xoxb-", some(24)),
    of("xapp-1-", some(20)),
    of("npm_", some(36)),
    of("pypi-", some(60)),
    of("hf_", some(34)),
    of("dop_v1_", hex(64)),
    of("dckr_pat_", some(27)),
    of("rubygems_", hex(48)),
    of("hvs.", some(24)),
    of("dapi", hex(32)),
    of("sbp_", hex(40)),
    of("figd_", some(40)),
    of("SG.", `${some(22)}.${some(43)}`),
    of("gsk_", some(40)),
    of("gwm-v1-", some(49)),
    of("eyJ", `${some(20)}.eyJ${some(20)}.${some(43)}`),
    `Authorization: ${of("Bearer ", some(40))}`,
    `${of("-----BEGIN ", "RSA PRIVATE KEY-----")}\n${some(64)}\n${of("-----END ", "RSA PRIVATE KEY-----")}`,
    of("AGE-SECRET-KEY-1", upper(58)),
    // Characters that nobody sees
    cut(openai, "\u200b"),
    cut(openai, "\u00ad"),
    cut(openai, "\u2060"),
    cut(github, "\u200d"),
    cut(key, "\ufeff"),
    [...github].join("\u200b"),
    // Look-alikes
    wide(openai),
    wide(github),
    openai.replaceAll("a", "а"),
    github.replaceAll("p", "р"),
    openai.replace("-", "‑"),
    // Encoded
    openai.replace("-", "&#45;"),
    openai.replace("-", "%2D"),
    github.replace("_", "%5F"),
    github.replace("g", "\\u0067"),
    // Cut by markup and the ends of lines
    `call_${github}`,
    `x_${openai}`,
    `${openai.slice(0, 12)}<b>${openai.slice(12)}</b>`,
    `${openai.slice(0, 12)}**${openai.slice(12)}**`,
    `${github.slice(0, 12)}<!-- x -->${github.slice(12)}`,
    `${github.slice(0, 12)}<wbr>${github.slice(12)}`,
    `<i>${key.slice(0, 8)}</i><i>${key.slice(8)}</i>`,
    `${key.slice(0, 8)}&lt;b&gt;${key.slice(8)}`
  ],
  negative: [
    "sk-short",
    "ask-me-about-something-long-enough-please",
    "task_sk",
    "the key is under the mat",
    "AKIA1234",
    "eyJ.eyJ.x",
    of("-----BEGIN ", "PUBLIC KEY-----"),
    "key-value-store-of-the-cluster",
    "secret_santa_list",
    "Monday.Cl2FMQ.morning",
    "dapi",
    "hvs.config",
    "SecretAccessKey: see the vault",
    "API_KEY=$API_KEY",
    "api_key: ${{ secrets.API_KEY }}",
    "Bearer of bad news",
    "Authorization: Bearer <token>",
    "password123",
    "ghp_short",
    "github_pat",
    "glpat-x",
    "npm_config_cache",
    "npm install",
    "pypi-server",
    "hf_hub_download",
    "xoxo",
    "AIza is a prefix",
    "sk_live_",
    hex(40),
    hex(64),
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "data:image/png;base64,iVBORw0KGgo=",
    "aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk",
    "process.env.SECRET_ACCESS_KEY",
    "risk-assessment-of-the-quarterly-report",
    "desk-organizer-with-three-drawers-black",
    "disk-usage",
    "whsec_",
    "SG.com",
    "gsk_test",
    "r8_short",
    "a private key is not public",
    "ssh-ed25519 AAAAC3 jane",
    "<b>sk-</b> is a prefix",
    "call_4xQ0example0example0example",
    "my_task-sk-1",
    "**ghp_** tokens",
    "<td>AKIA</td><td>1234</td>",
    "`sk-` and `ghp_` are prefixes of keys",
    "AKIA<br>EXAMPLE",
    "*secret*_santa_*list*"
  ],
  missed: [
    `${openai.slice(0, 12)} ${openai.slice(12)}`.replace("sk-", "s k - "),
    "password: correct horse battery staple",
    [...openai].toReversed().join(""),
    btoa(openai)
  ],
  mistaken: [of("sk-", "is-the-prefix-of-a-key-as-documented"), of("Bearer ", "abcdefghijklmnopqrstuvwxyz")]
}
