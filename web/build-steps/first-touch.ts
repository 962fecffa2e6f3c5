import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Rollup } from 'vite'

const web = fileURLToPath(new URL('..', import.meta.url))

/**
 * Lets pages rest: the app's scripts stay in their HTML as words that the browser does not run, until web/first-touch starts them.
 * @param folder build/client
 * @param paths of prerendered pages
 */
export async function letPagesRest(folder: string, paths: readonly string[]): Promise<void> {
  const script = await buildScript(folder)
  for (const path of paths) {
    const file = join(folder, path, 'index.html')
    await writeFile(file, resting(await readFile(file, 'utf8'), script))
  }
}

async function buildScript(folder: string): Promise<string> {
  const built = await build({
    root: web,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: false,
      modulePreload: false,
      rollupOptions: {
        input: join(web, 'first-touch/page.ts'),
        output: { entryFileNames: 'assets/first-touch-[hash].js' },
      },
    },
  })
  return (built as Rollup.RollupOutput).output[0].fileName
}

const PRELOAD = /<link rel="modulepreload" href="([^"]+)"\/>/g
const START = /<script type="module" async="">(?=import )/g

/**
 * A prerendered page whose app waits.
 * @param script the path of the script that starts it, without a leading slash
 * @throws where the page is not as React Router writes it
 */
export function resting(html: string, script: string): string {
  const preloads = [...html.matchAll(PRELOAD)].map(([, href]) => href)
  const starts = html.match(START)?.length ?? 0
  if (preloads.length === 0 || starts !== 1)
    throw new Error(`A page that is to rest has ${starts} scripts that start the app, and ${preloads.length} preloads.`)
  return (
    html
      .replaceAll(PRELOAD, '')
      .replace(START, `<script type="text/plain" data-app data-preload="${preloads.join(' ')}">`)
      // Async, so that React passes it over where it looks for its own elements.
      .replace('</head>', `<script type="module" async src="/${script}"></script></head>`)
  )
}
