/**
 * A module that no door exports, for measures of one step. Benches run what was compiled, and load the module from beside the compiled
 * door, which lies above its bundle.
 *
 * @param door the resolved address of a door, such as `import.meta.resolve("@gatewarden/core/effect")`
 * @param path the module below the package's `src`, without an ending, such as `decision/decide`
 */
export const moduleBehind = async <Module>(door: string, path: string): Promise<Module> =>
  (await import(
    new URL(`${path}${/\.[jt]s$/.exec(door)?.[0]}`, door.replace("/dist/bundled/", "/dist/")).href
  )) as Module

export const coreModule = <Module>(path: string): Promise<Module> =>
  moduleBehind(import.meta.resolve("@gatewarden/core/effect"), path)
