import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { type BuildOptions, build, type InlineConfig, type Rollup } from 'vite'
import type { Rest } from '../app/paths.ts'
import { FOR_GUESTS } from '../app/referral-query.ts'
import { besideTheApp, cssTarget, web } from './embed.ts'

/** A prerendered page, and what its app waits for: to be touched, for whoever has joined the waitlist to come too, or no more than that the page is drawn. */
interface WaitingPage {
  path: string
  rest: Rest | 'drawn'
}

/**
 * Lets prerendered pages stand before their app does: its scripts stay in their HTML as words that the browser does not run, until web/first-touch starts them.
 * The landing page's style stands in it, so that one answer is enough to show it.
 * @param folder build/client
 */
export async function deferHydration(folder: string, pages: readonly WaitingPage[]): Promise<void> {
  const script = await buildScript(folder, 'page')
  for (const { path, rest } of pages) {
    const file = join(folder, path, 'index.html')
    const html = await readFile(file, 'utf8')
    const style = path === '/' ? await styleOf(folder, html) : null
    await writeFile(file, waiting(html, { rest, script, style, scripts: await scriptsOf(folder, html) }))
  }
}

/**
 * Lets the page that signed-in pages begin from say that its app takes long, or does not come.
 * @param folder build/client
 */
export async function addFallbackScript(folder: string): Promise<void> {
  const file = join(folder, '__spa-fallback.html')
  const html = await readFile(file, 'utf8')
  const script = `<script>${await buildScript(folder, 'signed-in')}</script>`
  if ([...html.matchAll(STYLE)].length !== 1 || !ENTRY.test(html))
    throw new Error('The fallback page has not one style sheet, or nothing that starts the app.')
  const said = html
    // Before the style: a script after it waits for it.
    .replace(STYLE, (sheet) => script + sheet)
    .replace(ENTRY, (starts) => `if (document.documentElement.dataset.broken === undefined) ${starts}`)
  await writeFile(file, said)
}

const shared: InlineConfig = { ...besideTheApp, plugins: [tailwindcss()] }
const output = (folder: string): BuildOptions => ({
  outDir: folder,
  write: false,
  modulePreload: false,
  cssTarget,
  assetsInlineLimit: 0,
})

/** The words of a small script: what it names is known to no other. */
async function buildScript(folder: string, name: 'page' | 'signed-in'): Promise<string> {
  const built = await build({
    ...shared,
    build: {
      ...output(folder),
      rollupOptions: { input: join(web, `first-touch/${name}.ts`), output: { format: 'iife' } },
    },
  })
  const { code } = (built as Rollup.RollupOutput).output[0]
  if (code.includes('</')) throw new Error(`first-touch/${name}.ts cannot stand in a page.`)
  return code.trim()
}

/** All the style that a page needs until its app is there. */
async function styleOf(folder: string, html: string): Promise<string> {
  await writeFile(join(folder, '..', 'landing.txt'), decoded(html))
  const built = await build({
    ...shared,
    build: { ...output(folder), rollupOptions: { input: join(web, 'first-touch/page.css') } },
  })
  const style = (built as Rollup.RollupOutput).output.find(({ fileName }) => fileName.endsWith('.css'))
  if (style?.type !== 'asset') throw new Error('first-touch/page.css gave no style.')
  return style.source.toString().trim()
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

const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const START = /<script type="module" async="">(?=import )/g
/** What starts the app: the last that its first script asks for. */
const ENTRY = /\bimport\("([^"]+)"\);?<\/script>/
/** The landing page shows its first words in the typeface that stands in for ours, and fetches it then (web/first-touch); at once only where no script does. */
const FACE = /@font-face\s*\{[^}]*url\([^}]*\}/g
const FONT = /<link rel="preload" href="[^"]+" as="font"[^>]*>/g
const STYLE = /<link rel="stylesheet" href="([^"]+)"\/>/g
/** What a built script needs before it runs itself. */
const IMPORT = /\b(?:import|from)\s*["'`]\.\/([^"'`]+\.js)["'`]/g

/**
 * Runs before anything is drawn: keeps a press that comes before the small script does, which takes it from there. A link is followed at
 * once, and takes a friend's code along.
 */
const EARLY =
  'window.early=e=>{const c=e.target.closest("button"),l=e.target.closest("a"),r=new URLSearchParams(location.search).get("ref");' +
  'if(c){e.preventDefault();early.pressed=c}if(r&&l?.matches(' +
  `'${FOR_GUESTS}'` +
  '))l.search="ref="+encodeURIComponent(r)};' +
  'addEventListener("click",early,true)'

/** The scripts of a page, each after those that it needs; the one that starts the app is the last. */
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

export interface Waiting {
  rest: WaitingPage['rest']
  /** The words of the small script that starts the app. */
  script: string
  /** All the style that the page needs until then; null: it keeps its style sheet. */
  style: string | null
  /** The paths of the app's scripts, in the order in which they are to run. */
  scripts: readonly string[]
}

/**
 * A prerendered page whose app waits.
 * @throws where the page is not as React Router writes it
 */
export function waiting(html: string, { rest, script, style, scripts }: Waiting): string {
  const starts = html.match(START)?.length ?? 0
  const sheets = [...html.matchAll(STYLE)].map(([, href]) => href)
  if (scripts.length === 0 || starts !== 1 || sheets.length !== 1)
    throw new Error(
      `A page that is to rest has ${starts} scripts that start the app, ${scripts.length} scripts, the styles ${sheets}.`,
    )
  const sheet = style === null ? '' : ` data-style="${sheets[0]}"`
  const held = html
    .replaceAll(PRELOAD, '')
    .replace(START, `<script type="text/plain" data-app="${rest}"${sheet} data-scripts="${scripts.join(' ')}">`)
    .replace(STYLE, (sheet) => `<script>${EARLY}</script>${sheet}`)
    // The last of the head, where React has found its own.
    .replace('</head>', () => `<script type="module">${script}</script></head>`)
  if (style === null) return held
  const fonts = [...style.matchAll(FACE)].map(([face]) => face).join('')
  const styles = `<style>${style.replaceAll(FACE, '')}</style><style media="(scripting: none)">${fonts}</style>`
  return held.replaceAll(FONT, '').replace(STYLE, () => styles)
}
