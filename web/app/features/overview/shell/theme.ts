import { useSyncExternalStore } from 'react'
import { localStorage } from '../../../browser-storage'

/** The user's color scheme. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'theme'
const watchers = new Set<() => void>()

function read(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Applies the theme and stores it. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = theme
    localStorage.setItem(KEY, theme)
  }
  for (const watch of watchers) watch()
}

function subscribe(watch: () => void): () => void {
  watchers.add(watch)
  return () => void watchers.delete(watch)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, read, (): Theme => 'system')
}
