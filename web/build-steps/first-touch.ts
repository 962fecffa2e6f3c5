import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { type BuildOptions, build, type InlineConfig, type Rollup } from 'vite'
import { besideTheApp, cssTarget, web } from './embed.ts'

/**
 * Lets the landing page rest: the app's scripts stay in its HTML as words that the browser does not run, until web/first-touch starts them.
 * Its style stands in it, so that one answer is enough to show it.
 * @param folder build/client
 */
export async function letLandingPageRest(folder: string): Promise<void> {
  const file = join(folder, 'index.html')
  const html = await readFile(file, 'utf8')
  await writeFile(join(folder, '..', 'landing.txt'), decoded(html))
  const { script, style } = await buildFirstTouch(folder)
  await writeFile(file, resting(html, script, style))
}

/** The words of a page as its attributes mean them: Tailwind finds `[&_svg]:size-4` in no `[&amp;_svg]:size-4`. */
function decoded(html: string): string {
  return html
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
}

/** @returns the path of the script, without a leading slash, and the words of the style */
async function buildFirstTouch(folder: string): Promise<{ script: string; style: string }> {
  const options: InlineConfig = { ...besideTheApp, plugins: [tailwindcss()] }
  const shared: BuildOptions = {
    outDir: folder,
    emptyOutDir: false,
    modulePreload: false,
    cssTarget,
    assetsInlineLimit: 0,
  }
  const scripts = await build({
    ...options,
    build: {
      ...shared,
      rollupOptions: {
        input: join(web, 'first-touch/page.ts'),
        output: { entryFileNames: 'assets/first-touch-[hash].js' },
      },
    },
  })
  const styles = await build({
    ...options,
    build: { ...shared, write: false, rollupOptions: { input: join(web, 'first-touch/page.css') } },
  })
  const style = (styles as Rollup.RollupOutput).output.find(({ fileName }) => fileName.endsWith('.css'))
  if (style?.type !== 'asset') throw new Error('first-touch/page.css gave no style.')
  return { script: (scripts as Rollup.RollupOutput).output[0].fileName, style: style.source.toString().trim() }
}

const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const START = /<script type="module" async="">(?=import )/g
/** The style stands in the page and names the font early enough; fetched before it is needed, it would hold the first words up. */
const FONT = /<link rel="preload" href="[^"]+" as="font"[^>]*>/g
const STYLE = /<link rel="stylesheet" href="([^"]+)"\/>/g

/**
 * A prerendered page whose app waits.
 * @param script the path of the script that starts it, without a leading slash
 * @param style all that the page needs until then
 * @throws where the page is not as React Router writes it
 */
export function resting(html: string, script: string, style: string): string {
  const preloads = [...html.matchAll(PRELOAD)].map(([, href]) => href)
  const starts = html.match(START)?.length ?? 0
  const [[, sheet] = [], ...more] = html.matchAll(STYLE)
  if (preloads.length === 0 || starts !== 1 || !sheet || more.length > 0)
    throw new Error(
      `A page that is to rest has ${starts} scripts that start the app, ${preloads.length} preloads, the style ${sheet}.`,
    )
  return (
    html
      .replaceAll(PRELOAD, '')
      .replaceAll(FONT, '')
      .replace(START, `<script type="text/plain" data-app data-style="${sheet}" data-preload="${preloads.join(' ')}">`)
      .replace(STYLE, () => `<style>${style}</style>`)
      // Async, so that React passes it over where it looks for its own elements.
      .replace('</head>', `<script type="module" async fetchpriority="low" src="/${script}"></script></head>`)
  )
}
