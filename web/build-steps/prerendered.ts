const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const FONT = /<link rel="preload" href="[^"]+" as="font"[^>]*>/
const START = /<script type="module" async="">(?=import )/g

/**
 * Keeps a prerendered page from loading the app until the startup script decides to
 * (app/features/overview/shell/startup-script.ts), and from loading the font before its text is
 * painted in the fallback font. @throws Error if it isn't what React Router generates
 */
export function withoutApp(html: string): string {
  const preloads = [...html.matchAll(PRELOAD)].map(([, href]) => href)
  const starts = html.match(START)?.length ?? 0
  if (preloads.length === 0 || starts !== 1)
    throw new Error(`Expected scripts to preload and one entry script, found ${preloads.length} and ${starts}.`)
  return html
    .replaceAll(PRELOAD, '')
    .replace(FONT, '')
    .replace(START, `<script type="text/plain" data-preload="${preloads.join(' ')}">`)
}

/** Loads the app after what a prerendered page shows. */
export function withLateApp(html: string): string {
  return html.replaceAll(PRELOAD, '<link rel="modulepreload" fetchpriority="low" href="$1"/>')
}
