import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/** tailwind-merge, extended by the names in tokens.css that Tailwind does not have. */
const merge = extendTailwindMerge({
  extend: {
    theme: { text: ['2xs', 'ui'], 'font-weight': ['strong'], container: ['page'], spacing: ['header'] },
  },
})

/** Joins class names and skips falsy ones. Later ones override conflicting earlier ones. */
export function cn(...names: ClassValue[]): string {
  return merge(clsx(names))
}
