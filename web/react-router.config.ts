import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '@react-router/dev/config'
import { pages, staticPages } from './app/paths'
import { compressFiles } from './build-steps/compress'
import { buildEmbed } from './build-steps/embed'
import { holdApp, inlineStyles } from './build-steps/prerendered'

/** Matches no page, so the not-found screen is prerendered as build/client/404/index.html. */
const notFoundPath = '/404'

const prerendered = [...pages.filter((page) => page.access === 'public').map((page) => page.path), notFoundPath]

/**
 * Public pages are prerendered; signed-in pages start from __spa-fallback.html. build/pages.json
 * tells the server which paths get the fallback or a 404, and which belong in the sitemap.
 */
export default {
  appDirectory: 'app',
  ssr: false,
  prerender: prerendered,
  async buildEnd({ reactRouterConfig }) {
    const known = {
      findable: pages.filter((page) => page.access === 'public' && !page.unlisted).map((page) => page.path),
      app: pages.filter((page) => page.access !== 'public').map((page) => page.path),
      notFound: notFoundPath,
    }
    await writeFile(join(reactRouterConfig.buildDirectory, 'pages.json'), `${JSON.stringify(known, null, 2)}\n`)
    const folder = join(reactRouterConfig.buildDirectory, 'client')
    await buildEmbed(folder)
    for (const path of prerendered) {
      const built = join(folder, path, 'index.html')
      const html = await readFile(built, 'utf8')
      // React Router makes a folder of every path.
      const isFile = path.endsWith('.html')
      if (isFile) await rm(join(folder, path), { recursive: true })
      const isStatic = staticPages.includes(path)
      const held = holdApp(html, isStatic ? 'session' : 'paint')
      rejectInlineStyles(path, held)
      const page = isStatic ? await inlineStyles(held, (href) => readFile(join(folder, href), 'utf8')) : held
      await writeFile(isFile ? join(folder, path) : built, page)
    }
    await compressFiles(folder)
  },
} satisfies Config

/**
 * Fails the build on inline styles, which the content security policy forbids and browsers drop
 * silently.
 */
function rejectInlineStyles(path: string, html: string): void {
  const styled = html.match(/<style[\s>]|<[^>]+\sstyle="[^"]*"/)?.[0]
  if (styled)
    throw new Error(`${path} has an inline style, which its content security policy forbids: ${styled.slice(0, 200)}`)
}
