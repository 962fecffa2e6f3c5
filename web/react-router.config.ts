import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '@react-router/dev/config'
import { pages, staticPages } from './app/paths'
import { compressFiles } from './build-steps/compress'
import { buildEmbed } from './build-steps/embed'
import { holdApp, inlineStyles } from './build-steps/prerendered'

/** Matches no page, so that the not-found screen is prerendered as build/client/404/index.html. */
const notFoundPath = '/404'

/** Pages with a parameter are prerendered once, with the parameter's name as its value. */
const fileFor = (path: string) => path.replaceAll(':', '')
const publicPaths = pages.filter((page) => page.access === 'public').map((page) => page.path)
const prerendered = [...publicPaths.map(fileFor), notFoundPath]

/**
 * Public pages are prerendered, and signed-in pages start from __spa-fallback.html.
 * build/pages.json tells the server which paths get the fallback or a 404, and which belong in the
 * sitemap.
 */
export default {
  appDirectory: 'app',
  ssr: false,
  prerender: prerendered,
  async buildEnd({ reactRouterConfig }) {
    const known = {
      findable: pages.filter((page) => page.access === 'public' && !page.unlisted).map((page) => page.path),
      app: await titlesOf(join(reactRouterConfig.buildDirectory, 'server', 'index.js')),
      notFound: notFoundPath,
      secret: Object.fromEntries(publicPaths.filter((path) => path.includes(':')).map((path) => [fileFor(path), path])),
    }
    await writeFile(join(reactRouterConfig.buildDirectory, 'pages.json'), `${JSON.stringify(known, null, 2)}\n`)
    const folder = join(reactRouterConfig.buildDirectory, 'client')
    await buildEmbed(folder)
    for (const path of prerendered) {
      const built = join(folder, path, 'index.html')
      const html = await readFile(built, 'utf8')
      // React Router creates a folder for every path.
      if (path.endsWith('.html')) await rm(join(folder, path), { recursive: true })
      await writeFile(fileOf(folder, path), holdApp(html, staticPages.includes(path) ? 'session' : 'paint'))
    }
    await rejectInlineStyles(folder)
    const demo = await readFile(join(folder, 'finder-demo.js'), 'utf8')
    for (const path of staticPages) {
      const file = fileOf(folder, path)
      const html = await readFile(file, 'utf8')
      await writeFile(file, await inlineStyles(html, (href) => readFile(join(folder, href), 'utf8'), [demo]))
    }
    await compressFiles(folder)
  },
} satisfies Config

type Meta = () => { title?: string }[]

/** Titles of the pages that are not prerendered, from their modules' `meta`. */
async function titlesOf(serverBuild: string): Promise<Record<string, string>> {
  const { routes } = (await import(pathToFileURL(serverBuild).href)) as {
    routes: Record<string, { path?: string; module: { meta?: Meta } }>
  }
  const titles = pages.flatMap(({ path, access }): [string, string][] => {
    if (access === 'public') return []
    const meta = Object.values(routes).find((one) => one.path === path)?.module.meta
    const title = meta?.().find((tag) => tag.title)?.title
    if (!title) throw new Error(`The page ${path} has no title.`)
    return [[path, title]]
  })
  return Object.fromEntries(titles)
}

const fileOf = (folder: string, path: string) => join(folder, path, path.endsWith('.html') ? '' : 'index.html')

/** Fails the build on inline styles. The content security policy forbids them, so browsers would silently drop them. */
async function rejectInlineStyles(folder: string): Promise<void> {
  for await (const file of glob('**/*.html', { cwd: folder })) {
    const html = await readFile(join(folder, file), 'utf8')
    const styled = html.match(/<style[\s>]|<[^>]+\sstyle="[^"]*"/)?.[0]
    if (styled)
      throw new Error(`${file} has an inline style, which its content security policy forbids: ${styled.slice(0, 200)}`)
  }
}
