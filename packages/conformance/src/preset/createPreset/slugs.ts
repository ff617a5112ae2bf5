/** Slugs that name a preset, and those that name none. */
import { assert } from "@effect/vitest"
import { type Case, refused } from "../../http/Case.ts"
import { messages } from "../presetBodies.ts"
import { post, short } from "./scene.ts"

export const slugs: readonly Case[] = [
  ...["a", "A-z_0.9~", "-", "...", "x".repeat(128)].map((slug): Case => ({
    name: `slug ${short(slug)}`,
    status: 200,
    run: (world) => post(world, {}, { params: { slug } }),
    check: ({ json }) => assert.deepInclude(json.data, { slug, name: slug })
  })),
  {
    name: "slugs that differ in case are two presets",
    status: 200,
    run: async (world) => {
      await post(world, {}, { params: { slug: "Support" } })
      return post(world)
    },
    check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 1)
  },
  ...["a b", "a/b", "é", "a%2Fb", "a+b", "x".repeat(129), "a\u0000", "🙂", "a:1", "@preset"].map((slug) =>
    refused(
      "createPreset",
      `slug ${short(slug)}`,
      { params: { slug }, body: { messages } },
      { path: "path.slug", reason: "invalid_preset_slug" }
    )
  )
]
