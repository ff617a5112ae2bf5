/** Which methods of the public client tests call, read from the tests: a call of a client that one of them made. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const tests = fileURLToPath(new URL("../../", import.meta.url))

const withoutComments = (source: string): string => source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")

/** `oAuth.listOauthJwks` and `presets.versions.get`, and the names of any other call, which are no methods of the client. */
const callsIn = (source: string): readonly string[] =>
  Array.from(withoutComments(source).matchAll(/(?<=\.)(\w+)\s*\.\s*(\w+)(?:\s*\.\s*(\w+))?\(/g), ([, ...names]) =>
    names.filter((name) => name !== undefined)
  ).flatMap((names) => [names.join("."), names.slice(-2).join(".")])

/** Calls in the tests that make a client of the installed package. */
const calls = new Set(
  readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("documents/"))
    .map((name) => readFileSync(`${tests}${name}`, "utf8"))
    .filter((source) => /import \{[^}]*\bOpenRouter\b[^}]*\} from "@openrouter\/sdk"/.test(source))
    .flatMap(callsIn)
)

/** Whether a test calls a method by its name in the client. */
export const isCalled = (method: string): boolean => calls.has(method)
