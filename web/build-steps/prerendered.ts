const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const START = /<script type="module" async="">(?=import )/g

/**
 * Keeps a prerendered page from loading the app until the startup script starts it: once a session
 * is stored, or once the page is painted (app/features/overview/shell/startup-script.ts).
 * @throws Error if it isn't what React Router generates
 */
export function holdApp(html: string, until: 'session' | 'paint'): string {
  const preloads = [...html.matchAll(PRELOAD)].map(([, href]) => href)
  const starts = html.match(START)?.length ?? 0
  if (preloads.length === 0 || starts !== 1)
    throw new Error(`Expected scripts to preload and one entry script, found ${preloads.length} and ${starts}.`)
  return html
    .replaceAll(PRELOAD, '')
    .replace(START, `<script type="text/plain" data-until="${until}" data-preload="${preloads.join(' ')}">`)
}

const STYLESHEET = /<link rel="stylesheet" href="([^"]+)"\/>/g

/**
 * Puts a page's styles into it, which saves the first paint a round trip. The app expects their
 * links, so they stay, disabled. @param read returns the text of a stylesheet
 */
export async function inlineStyles(html: string, read: (href: string) => Promise<string>): Promise<string> {
  const hrefs = [...html.matchAll(STYLESHEET)].map(([, href]) => href as string)
  const styles = await Promise.all(hrefs.map(read))
  return html.replaceAll(STYLESHEET, (_, href) => {
    const link = `<link rel="stylesheet" href="${href}" disabled/>`
    return `<style>${styles[hrefs.indexOf(href)]}</style>${link}`
  })
}
