import { PAGE_PARTS, type PagePart, type Pages } from '@x-automated/contract/outreach/extension-pages'
import shipped from '../../pages.json'

type SelectorPart = { [P in PagePart]: (typeof PAGE_PARTS)[P] extends 'selectors' ? P : never }[PagePart]
type PathPart = Exclude<PagePart, SelectorPart>

let pages: Pages = shipped.pages

/** Uses these parts from now on, unless this browser rejects one of their selectors. */
export function usePages(next: Pages): void {
  const names = Object.keys(PAGE_PARTS) as PagePart[]
  const wrong = names.find((name) => PAGE_PARTS[name] === 'selectors' && !next[name].every(isSelector))
  if (wrong === undefined) pages = next
  else console.warn(`This browser does not understand the selectors of ${wrong}.`)
}

function isSelector(text: string): boolean {
  try {
    document.createDocumentFragment().querySelector(text)
    return true
  } catch {
    return false
  }
}

/** All selectors of a part, combined into one. */
export function part(name: SelectorPart): string {
  return pages[name].join(', ')
}

/** All selectors of a part, the preferred one first. */
export function selectorsOf(name: SelectorPart): readonly string[] {
  return pages[name]
}

export function pathsOf(name: PathPart): readonly string[] {
  return pages[name]
}
