const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const START = /<script type="module" async="">(?=import )/g

/**
 * Keeps a prerendered page from loading the app until the startup script does: once a session is
 * stored, or once the page is painted (app/features/overview/shell/startup-script.ts).
 * @throws Error if the HTML is not what React Router generates
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
 * Inlines the styles that a page uses, which saves the first paint a round trip. The links to the
 * stylesheets stay disabled until the startup script starts the app.
 * @param read returns the text of a stylesheet
 * @param scripts texts of other scripts that add elements to the page
 */
export async function inlineStyles(
  html: string,
  read: (href: string) => Promise<string>,
  scripts: readonly string[],
): Promise<string> {
  const hrefs = [...html.matchAll(STYLESHEET)].map(([, href]) => href as string)
  const sheets = await Promise.all(hrefs.map(read))
  // Imported late, because tests import the configuration, too.
  const { PurgeCSS } = await import('purgecss')
  const used = await new PurgeCSS().purge({
    content: [
      { raw: [html.replaceAll('&amp;', '&').replaceAll('&gt;', '>'), ...scripts].join('\n'), extension: 'html' },
    ],
    css: sheets.map((raw) => ({ raw })),
    // Matches classes like `aria-[current=page]:flex`, then elements and attributes.
    defaultExtractor: (text) => [...(text.match(/[^\s"'`]+/g) ?? []), ...(text.match(/[\w-]+/g) ?? [])],
    keyframes: true,
  })
  return html.replaceAll(STYLESHEET, (_, href) => {
    const link = `<link rel="stylesheet" href="${href}" disabled/>`
    return `<style>${used[hrefs.indexOf(href)]?.css}</style>${link}`
  })
}
