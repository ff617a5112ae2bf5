/** The reference of the command line, from the commands themselves: what `--help` shows. */
import { Option } from "effect"
import type { Command, HelpDoc } from "effect/cli"
import { gatewarden } from "../../../node/src/cli/commands.ts"
import { exitCode, exitCodeMeanings, faults } from "../../../node/src/failure/exitCode.ts"
import { type Cells, code, page, table } from "./markdown.ts"

/** What `--help` is made from. Not among the declared members of a command. */
interface Documented {
  readonly buildHelpDoc: (path: readonly string[]) => HelpDoc.HelpDoc
}

type Found = readonly [path: readonly string[], doc: HelpDoc.HelpDoc]

const below = (command: Command.Command.Any, path: readonly string[]): readonly Found[] => [
  [path, (command as unknown as Documented).buildHelpDoc(path)],
  ...command.subcommands.flatMap(({ commands }) => commands.flatMap((next) => below(next, [...path, next.name])))
]

const textOf = (description: Option.Option<string>): string => Option.getOrElse(description, () => "")

const argumentRows = ({ args = [], flags }: HelpDoc.HelpDoc): readonly Cells[] => [
  ...args.map(({ name, required, variadic, description }) => [
    code(`${name}${variadic ? "…" : ""}`),
    required ? "required" : "",
    textOf(description)
  ]),
  ...flags.map(({ name, type, required, description }) => [
    code(`--${name}${type === "boolean" ? "" : ` ${type}`}`),
    required ? "required" : "",
    textOf(description)
  ])
]

const section = ([path, doc]: Found): string => {
  const rows = argumentRows(doc)
  return [
    `## ${path.join(" ")}`,
    doc.description,
    code(doc.usage),
    ...(rows.length === 0 ? [] : [table(["argument or flag", "", "meaning"], rows)]),
    ...((doc.examples ?? []).length === 0
      ? []
      : [
          table(
            ["example", ""],
            (doc.examples ?? []).map(({ command, description = "" }) => [code(command), description])
          )
        ])
  ].join("\n\n")
}

/** What a command lacks of its documentation. */
export const commandProblems = (): readonly string[] =>
  below(gatewarden, ["gatewarden"]).flatMap(([path, doc]) => {
    const undocumented = argumentRows(doc).filter(([, , meaning]) => meaning === "")
    return [
      ...(doc.description === "" ? [`${path.join(" ")} has no description`] : []),
      ...((doc.examples ?? []).length === 0 ? [`${path.join(" ")} has no example`] : []),
      ...undocumented.map(([name]) => `${path.join(" ")}: ${name} has no meaning`)
    ]
  })

export const commands = (): string =>
  page(
    "Commands",
    "What the command line takes, as `npx gatewarden help` shows it. Results go to stdout, everything else to stderr. How to work with it: [operating](../operating/README.md).",
    "## Exit codes",
    table(
      ["exit code", "meaning"],
      Object.entries(exitCode).map(([name, value]) => [String(value), exitCodeMeanings[name as keyof typeof exitCode]])
    ),
    "A fault has the same exit code, whichever command meets it. `gatewarden doctor` exits with the code of the first check that fails.",
    table(
      ["fault", "exit code"],
      Object.values(faults).map(({ code, meaning }) => [meaning, String(code)])
    ),
    ...below(gatewarden, ["gatewarden"]).map(section)
  )
