import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { type BuildOptions, build, type InlineConfig, type Rollup } from 'vite'
import type { HydrationTrigger } from '../app/paths.ts'
import { FOR_GUESTS } from '../app/referral-query.ts'
import { baseConfig, cssTarget, web } from './embed.ts'

/** A prerendered page and what starts its app. 'drawn': it is painted. */
interface DeferredPage {
  path: string
  trigger: HydrationTrigger | 'drawn'
}

/**
 * Defers hydration: the app's scripts stay in the HTML as inert text until web/first-touch starts
 * them. The landing page also gets its CSS inlined. @param folder build/client
 */
export async function deferHydration(folder: string, pages: readonly DeferredPage[]): Promise<void> {
  const script = await buildScript(folder, 'page')
  for (const { path, trigger } of pages) {
    const file = join(folder, path, 'index.html')
    const html = await readFile(file, 'utf8')
    const style = path === '/' ? await styleOf(folder, html) : null
    await writeFile(file, deferredHtml(html, { trigger, script, style, scripts: await scriptsOf(folder, html) }))
  }
}

/**
 * Adds the script that reports slow or failed loading to the SPA fallback page.
 * @param folder build/client
 */
export async function addFallbackScript(folder: string): Promise<void> {
  const file = join(folder, '__spa-fallback.html')
  const html = await readFile(file, 'utf8')
  const script = `<script>${await buildScript(folder, 'signed-in')}</script>`
  if ([...html.matchAll(STYLE)].length !== 1 || !ENTRY.test(html))
    throw new Error('The fallback page must have one style sheet and one entry script.')
  const said = html
    // Before the style sheet, which would block a script after it.
    .replace(STYLE, (sheet) => script + sheet)
    .replace(ENTRY, (starts) => `if (document.documentElement.dataset.broken === undefined) ${starts}`)
  await writeFile(file, said)
}

const shared: InlineConfig = { ...baseConfig, plugins: [tailwindcss()] }
const output = (folder: string): BuildOptions => ({
  outDir: folder,
  write: false,
  modulePreload: false,
  cssTarget,
  assetsInlineLimit: 0,
})

/** The source of a script of web/first-touch, bundled as an IIFE. */
async function buildScript(folder: string, name: 'page' | 'signed-in'): Promise<string> {
  const built = await build({
    ...shared,
    build: {
      ...output(folder),
      rollupOptions: { input: join(web, `first-touch/${name}.ts`), output: { format: 'iife' } },
    },
  })
  const { code } = (built as Rollup.RollupOutput).output[0]
  if (code.includes('</')) throw new Error(`first-touch/${name}.ts can't be inlined: it contains "</".`)
  return code.trim()
}

/** The CSS a page needs before hydration. */
async function styleOf(folder: string, html: string): Promise<string> {
  await writeFile(join(folder, '..', 'landing.txt'), decoded(html))
  const built = await build({
    ...shared,
    build: { ...output(folder), rollupOptions: { input: join(web, 'first-touch/page.css') } },
  })
  const style = (built as Rollup.RollupOutput).output.find(({ fileName }) => fileName.endsWith('.css'))
  if (style?.type !== 'asset') throw new Error('first-touch/page.css produced no CSS.')
  return style.source.toString().trim()
}

/** Decodes entities, so that Tailwind finds `[&_svg]:size-4` in `[&amp;_svg]:size-4`. */
function decoded(html: string): string {
  return html
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
}

const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const START = /<script type="module" async="">(?=import )/g
/** The import that starts the app. */
const ENTRY = /\bimport\("([^"]+)"\);?<\/script>/
/**
 * The landing page starts in the fallback font and loads Inter after the first paint
 * (web/first-touch), or immediately without scripts.
 */
const FACE = /@font-face\s*\{[^}]*url\([^}]*\}/g
const FONT = /<link rel="preload" href="[^"]+" as="font"[^>]*>/g
const STYLE = /<link rel="stylesheet" href="([^"]+)"\/>/g
/** Static imports of a built script. */
const IMPORT = /\b(?:import|from)\s*["'`]\.\/([^"'`]+\.js)["'`]/g

/**
 * Runs before the first paint: records clicks on buttons for first-touch to replay, and adds the
 * referral code to links.
 */
const EARLY =
  'window.early=e=>{const c=e.target.closest("button"),l=e.target.closest("a"),r=new URLSearchParams(location.search).get("ref");' +
  'if(c){e.preventDefault();early.pressed=c}if(r&&l?.matches(' +
  `'${FOR_GUESTS}'` +
  '))l.search="ref="+encodeURIComponent(r)};' +
  'addEventListener("click",early,true)'

/** The page's scripts in dependency order; the entry script is last. */
async function scriptsOf(folder: string, html: string): Promise<string[]> {
  const entry = html.match(ENTRY)?.[1]
  const ordered = new Set<string>()
  const add = async (href: string) => {
    if (ordered.has(href)) return
    const words = await readFile(join(folder, href), 'utf8')
    for (const [, file] of words.matchAll(IMPORT)) await add(`/assets/${file}`)
    ordered.add(href)
  }
  for (const [, href] of html.matchAll(PRELOAD)) if (href && href !== entry) await add(href)
  if (entry) await add(entry)
  return [...ordered]
}

export interface DeferredOptions {
  trigger: DeferredPage['trigger']
  /** Source of the first-touch script. */
  script: string
  /** CSS to inline; null keeps the style sheet. */
  style: string | null
  /** Script paths in execution order. */
  scripts: readonly string[]
}

/** The HTML with hydration deferred. @throws Error if it isn't what React Router generates */
export function deferredHtml(html: string, { trigger, script, style, scripts }: DeferredOptions): string {
  const starts = html.match(START)?.length ?? 0
  const sheets = [...html.matchAll(STYLE)].map(([, href]) => href)
  if (scripts.length === 0 || starts !== 1 || sheets.length !== 1)
    throw new Error(
      `cannot defer hydration: found ${starts} entry scripts, ${scripts.length} scripts and the style sheets ${sheets}.`,
    )
  const sheet = style === null ? '' : ` data-style="${sheets[0]}"`
  const held = html
    .replaceAll(PRELOAD, '')
    .replace(START, `<script type="text/plain" data-app="${trigger}"${sheet} data-scripts="${scripts.join(' ')}">`)
    .replace(STYLE, (sheet) => `<script>${EARLY}</script>${sheet}`)
    // Last in the head, after the tags React expects.
    .replace('</head>', () => `<script type="module">${script}</script></head>`)
  if (style === null) return held
  const fonts = [...style.matchAll(FACE)].map(([face]) => face).join('')
  const styles = `<style>${style.replaceAll(FACE, '')}</style><style media="(scripting: none)">${fonts}</style>`
  return held.replaceAll(FONT, '').replace(STYLE, () => styles)
}
