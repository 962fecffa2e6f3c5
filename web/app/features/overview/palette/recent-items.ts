import { sessionStorage } from '../../../browser-storage'
import type { PaletteItem } from './palette-items'

const RECENT_MAX = 4
/** The key of a workspace's recent items. Stored only in this tab, because they contain people's names. */
const keyOf = (workspaceId: string) => `paletteRecent.${workspaceId}`

/** The items last opened from the palette, latest first. */
export function recentItems(workspaceId: string): PaletteItem[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(workspaceId)) ?? '[]') as PaletteItem[]
  } catch {
    return []
  }
}

/** Adds an item to the recent ones, at the top. */
export function addRecent(workspaceId: string, item: PaletteItem): void {
  const others = recentItems(workspaceId).filter(({ id }) => id !== item.id)
  sessionStorage.setItem(keyOf(workspaceId), JSON.stringify([item, ...others].slice(0, RECENT_MAX)))
}
