import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { type BuildOptions, build, type InlineConfig, type Plugin, type Rollup } from 'vite'

const web = fileURLToPath(new URL('..', import.meta.url))
const baseConfig: InlineConfig = { root: web, configFile: false, publicDir: false, logLevel: 'warn' }
/** Browsers that support light-dark(), which the tokens use. */
export const cssTarget = ['chrome123', 'firefox120', 'safari17.5']

/**
 * Builds the widget's page `/embed`, its loader `/embed.js`, and the landing page's demo
 * `/finder-demo.js`.
 * @param folder build/client
 */
export async function buildEmbed(folder: string): Promise<void> {
  const output = { outDir: folder, emptyOutDir: false }
  await build({
    ...baseConfig,
    plugins: [tailwindcss()],
    build: {
      ...output,
      cssTarget,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: { input: join(web, 'embed/index.html') },
    },
  })
  for (const script of Object.keys(SCRIPTS)) await buildScript(script, output)
}

/** Scripts that run without the app, by path. */
const SCRIPTS: Record<string, string> = {
  '/embed.js': 'embed/loader.ts',
  '/finder-demo.js': 'app/features/waitlist/landing/finder-demo.ts',
}

async function buildScript(path: string, output: BuildOptions): Promise<string> {
  const built = await build({
    ...baseConfig,
    build: {
      ...output,
      lib: {
        entry: join(web, SCRIPTS[path] ?? ''),
        formats: ['iife'],
        name: 'xAutomated',
        fileName: () => path.slice(1),
      },
    },
  })
  const [{ output: chunks }] = built as [Rollup.RollupOutput]
  return chunks[0].code
}

/** Serves the widget and SCRIPTS in development. Scripts are rebuilt for each request. */
export function embedInDevelopment(): Plugin {
  return {
    name: 'embed-in-development',
    configureServer({ middlewares, transformIndexHtml }) {
      middlewares.use(async (request, response, next) => {
        const path = request.url?.split('?', 1)[0]
        if (path === '/embed') {
          const page = await readFile(join(web, 'embed/index.html'), 'utf8')
          response.setHeader('content-type', 'text/html').end(await transformIndexHtml('/embed', page))
        } else if (path && path in SCRIPTS) {
          response.setHeader('content-type', 'text/javascript').end(await buildScript(path, { write: false }))
        } else next()
      })
    },
  }
}
