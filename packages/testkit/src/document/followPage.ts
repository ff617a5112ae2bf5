/** Runs what a page shows, in its order and in one shell, as a reader does, and compares what each step prints with the page. */
import { transform } from "esbuild"
import { execFile, execFileSync } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandLine } from "../server/serverProcess.ts"
import type { Step } from "./readPage.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const runs = (command: string): boolean => {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const tools = { curl: runs("curl"), python: runs("python3") }

/** `curl` as the pages use it, for machines without one. */
const curl = `#!${process.execPath}
const headers = {}
let url, body, method
const given = process.argv.slice(2)
while (given.length > 0) {
  const next = given.shift()
  if (next === "-s") continue
  else if (next === "-X") method = given.shift()
  else if (next === "-d") body = given.shift()
  else if (next === "-H") { const [name, ...value] = given.shift().split(": "); headers[name] = value.join(": ") }
  else if (next.startsWith("-")) throw new Error("this stand-in for curl has no " + next)
  else url = next
}
fetch(url, { method: method ?? (body === undefined ? "GET" : "POST"), headers, body })
  .then((answer) => answer.text()).then((text) => process.stdout.write(text))
`

/** `npx gatewarden …` of a clone. */
const npx = `#!/bin/sh
shift
exec '${process.execPath}' '${commandLine}' "$@"
`

const mark = "--- next step ---"

export interface Followed {
  /** `http://HOST:PORT/api/v1` of the server. */
  readonly url: string
  readonly managementKey: string
  /** Where a server with an embedded store keeps it, for the command line. */
  readonly dataDirectory?: string
  /** Hosts that stand for those of a page, each as text and what replaces it. */
  readonly instead?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
}

/** What a step printed. */
export interface Printed {
  readonly step: Step
  readonly output: string
}

const scriptOf = async (
  steps: readonly Step[],
  directory: string,
  modules: string,
  insteadIn: (text: string) => string
) => {
  const lines = ["set -eo pipefail"]
  for (const [index, { language, code }] of steps.entries()) {
    const text = insteadIn(code)
    if (language === "sh") lines.push(text)
    else if (language === "python") {
      const file = join(directory, `${index}.py`)
      await writeFile(file, text)
      lines.push(tools.python ? `python3 '${file}'` : ":")
    } else {
      const file = join(modules, `${index}.mjs`)
      await writeFile(file, (await transform(text, { loader: "ts", format: "esm", target: "es2022" })).code)
      lines.push(`'${process.execPath}' '${file}'`)
    }
    lines.push("echo", `echo '${mark}'`)
  }
  return lines.join("\n")
}

/** Runs the steps; rejects with what was printed if one fails. Steps in Python print nothing where Python is not installed. */
export const followPage = async (steps: readonly Step[], followed: Followed): Promise<readonly Printed[]> => {
  const directory = await mkdtemp(join(tmpdir(), "gatewarden-page-"))
  await mkdir(join(root, "node_modules/.cache"), { recursive: true })
  const modules = await mkdtemp(join(root, "node_modules/.cache/gatewarden-page-"))
  const replaced = Object.entries({
    ...followed.instead,
    "http://127.0.0.1:8787/api/v1": followed.url,
    "http://127.0.0.1:8787": new URL(followed.url).origin
  })
  const insteadIn = (text: string) => replaced.reduce((all, [from, to]) => all.replaceAll(from, to), text)
  try {
    const bin = join(directory, "bin")
    const data = join(directory, ".gatewarden")
    await Promise.all([mkdir(bin), mkdir(data), symlink(join(root, "examples"), join(directory, "examples"))])
    await writeFile(join(data, "management-key"), followed.managementKey)
    await writeFile(join(bin, "npx"), npx, { mode: 0o755 })
    if (!tools.curl) await writeFile(join(bin, "curl"), curl, { mode: 0o755 })
    const script = await scriptOf(steps, directory, modules, insteadIn)
    const output = await new Promise<string>((resolve, reject) => {
      execFile(
        "bash",
        ["-c", script],
        {
          cwd: directory,
          env: {
            PATH: `${bin}:${process.env["PATH"] ?? ""}`,
            HOME: directory,
            ...(followed.dataDirectory === undefined ? {} : { GATEWARDEN_DATA_DIR: followed.dataDirectory }),
            ...followed.environment
          },
          timeout: 120_000
        },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
      )
    })
    const outputs = output.split(`\n${mark}\n`)
    return steps.map((step, index) => ({ step, output: outputs[index] ?? "" }))
  } finally {
    await Promise.all([directory, modules].map((each) => rm(each, { recursive: true, force: true })))
  }
}

/** "…" in what a page shows stands for anything. */
const texts = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*")}$`
  )

const differences = (shown: unknown, actual: unknown, path: string): readonly string[] => {
  const differs = [`${path}: the page shows ${JSON.stringify(shown)}, printed was ${JSON.stringify(actual)}`]
  if (typeof shown === "string") return typeof actual === "string" && texts(shown).test(actual) ? [] : differs
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return differs
    const more = shown.at(-1) === "…"
    const some: readonly unknown[] = more ? shown.slice(0, -1) : shown
    if (more ? actual.length < some.length : actual.length !== some.length) return differs
    return some.flatMap((each, index) => differences(each, actual[index], `${path}[${index}]`))
  }
  if (typeof shown === "object" && shown !== null) {
    if (typeof actual !== "object" || actual === null) return differs
    return Object.entries(shown).flatMap(([name, value]) =>
      differences(value, (actual as Record<string, unknown>)[name], `${path}.${name}`)
    )
  }
  return Object.is(shown, actual) ? [] : differs
}

/** The last JSON value of an output: of several answers a page shows the last, and each begins where the one before ends. */
const lastJson = (output: string): unknown => {
  const text = output.trim()
  for (const begin of [0, text.lastIndexOf("\n{") + 1, text.lastIndexOf('}{"') + 1])
    try {
      return JSON.parse(text.slice(begin))
    } catch {}
  return undefined
}

/** Where an output differs from what the page shows: JSON may have more fields, and lines of text may have others between them. */
export const unlikeShown = ({ step, output }: Printed): readonly string[] => {
  if (step.shown === undefined || (step.language === "python" && !tools.python)) return []
  if (step.shown.language === "json") {
    const actual = lastJson(output)
    return actual === undefined
      ? [`no JSON was printed, but: ${output}`]
      : differences(JSON.parse(step.shown.text), actual, "$")
  }
  const lines = output.split("\n").map((line) => line.trimEnd())
  return step.shown.text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !lines.some((printed) => texts(line).test(printed)))
    .map((line) => `the page shows a line that was not printed: ${line}; printed was: ${output}`)
}
