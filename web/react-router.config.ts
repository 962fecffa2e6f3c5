import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '@react-router/dev/config'
import { deferredPages, pages } from './app/paths'
import { compressFiles } from './build-steps/compress'
import { buildEmbed, buildLegalPages } from './build-steps/embed'
import { addFallbackScript, deferHydration } from './build-steps/first-touch'

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
    await buildLegalPages(folder)
    await deferHydration(
      folder,
      prerendered.map((path) => ({
        path,
        trigger: path === notFoundPath ? 'touched' : (deferredPages[path] ?? 'drawn'),
      })),
    )
    await addFallbackScript(folder)
    await rejectInlineStyles(folder)
    await compressFiles(folder)
  },
} satisfies Config

/**
 * Fails the build on inline styles, which the content security policy forbids and browsers drop
 * silently.
 */
async function rejectInlineStyles(folder: string): Promise<void> {
  for await (const file of glob('**/*.html', { cwd: folder })) {
    const html = (await readFile(join(folder, file), 'utf8')).replace(
      file === 'index.html' ? /<style( media="[^"]*")?>/g : '',
      '',
    )
    const styled = html.match(/<style[\s>]|<[^>]+\sstyle="[^"]*"/)?.[0]
    if (styled)
      throw new Error(`${file} has an inline style, which its content security policy forbids: ${styled.slice(0, 200)}`)
  }
}
