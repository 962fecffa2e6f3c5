import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

/** The names of tokens.css that Tailwind doesn't have. */
const merge = extendTailwindMerge({
  extend: {
    theme: { text: ['2xs', 'ui'], 'font-weight': ['strong'], container: ['page'], spacing: ['header'] },
  },
})

/** Joins class names, skipping falsy ones. Later ones replace conflicting earlier ones. */
export function cn(...names: ClassValue[]): string {
  return merge(clsx(names))
}
