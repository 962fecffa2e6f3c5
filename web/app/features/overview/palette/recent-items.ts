import { sessionStorage } from '../../../browser-storage'
import type { PaletteItem } from './palette-items'

const RECENT_MAX = 4
/** Stored per workspace and only in this tab, because it contains people's names. */
const keyOf = (workspaceId: string) => `paletteRecent.${workspaceId}`

/** The items last opened from the palette, latest first. */
export function recentItems(workspaceId: string): PaletteItem[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(workspaceId)) ?? '[]') as PaletteItem[]
  } catch {
    return []
  }
}

/** Moves an item to the top. */
export function addRecent(workspaceId: string, item: PaletteItem): void {
  const others = recentItems(workspaceId).filter(({ id }) => id !== item.id)
  sessionStorage.setItem(keyOf(workspaceId), JSON.stringify([item, ...others].slice(0, RECENT_MAX)))
}
