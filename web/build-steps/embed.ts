import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { type BuildOptions, build, type InlineConfig, type Plugin, type Rollup } from 'vite'

/** The folder web/. */
export const web = fileURLToPath(new URL('..', import.meta.url))
/** Shared by all builds except the app's. */
export const baseConfig: InlineConfig = { root: web, configFile: false, publicDir: false, logLevel: 'warn' }
/** Browsers that support light-dark(), which the tokens use. */
export const cssTarget = ['chrome123', 'firefox120', 'safari17.5']

/** Builds the widget: its page `/embed` and the loader `/embed.js`. @param folder build/client */
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
  await buildLoader(output)
}

async function buildLoader(output: BuildOptions): Promise<string> {
  const built = await build({
    ...baseConfig,
    build: {
      ...output,
      lib: { entry: join(web, 'embed/loader.ts'), formats: ['iife'], name: 'xAutomated', fileName: () => 'embed.js' },
    },
  })
  const [{ output: chunks }] = built as [Rollup.RollupOutput]
  return chunks[0].code
}

/** Builds `/privacy.html` and `/terms.html`. @param folder build/client */
export async function buildLegalPages(folder: string): Promise<void> {
  const legal = join(web, 'legal')
  await build({
    ...baseConfig,
    root: legal,
    plugins: [tailwindcss()],
    build: {
      outDir: folder,
      emptyOutDir: false,
      cssTarget,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: { input: [join(legal, 'privacy.html'), join(legal, 'terms.html')] },
    },
  })
}

/** Serves the widget and legal pages in development; the loader is rebuilt for each request. */
export function embedInDevelopment(): Plugin {
  return {
    name: 'embed-in-development',
    configureServer({ middlewares, transformIndexHtml }) {
      middlewares.use(async (request, response, next) => {
        const path = request.url?.split('?', 1)[0]
        if (path === '/embed') {
          const page = await readFile(join(web, 'embed/index.html'), 'utf8')
          response.setHeader('content-type', 'text/html').end(await transformIndexHtml('/embed', page))
        } else if (path === '/embed.js') {
          response.setHeader('content-type', 'text/javascript').end(await buildLoader({ write: false }))
        } else if (path === '/privacy.html' || path === '/terms.html') {
          const page = (await readFile(join(web, 'legal', path), 'utf8')).replace('/page.css', '/legal/page.css')
          response.setHeader('content-type', 'text/html').end(await transformIndexHtml(path, page))
        } else if (path === '/privacy' || path === '/terms') {
          response.writeHead(302, { location: `${path}.html` }).end()
        } else next()
      })
    },
  }
}
