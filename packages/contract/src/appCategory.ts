/** What apps are for, in the groups of the public API's marketplace. Rule: datasets#apps, datasets#categories. */
import * as z from "zod"

export const appCategories = {
  coding: ["cli-agent", "ide-extension", "cloud-agent", "programming-app", "native-app-builder"],
  creative: ["creative-writing", "video-gen", "image-gen", "audio-gen"],
  productivity: ["writing-assistant", "general-chat", "personal-agent", "legal"],
  entertainment: ["roleplay", "game"]
} as const

export const AppCategory = z.enum(["coding", "creative", "productivity", "entertainment"])
export type AppCategory = z.output<typeof AppCategory>

export const AppSubcategory = z.enum([
  ...appCategories.coding,
  ...appCategories.creative,
  ...appCategories.productivity,
  ...appCategories.entertainment
])
export type AppSubcategory = z.output<typeof AppSubcategory>
