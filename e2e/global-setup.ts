import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openScratchCluster } from '@x-automated/server/src/db/embedded.ts'
import { makeTemplate } from '@x-automated/server/test/template.ts'
import type { TestProject } from 'vitest/node'
import { findBrowser } from '../tools/browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    clusterUrl: string
    browserPath: string
  }
}

/** One PostgreSQL for all journeys; each world clones its own database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const build = fileURLToPath(new URL('../web/build/pages.json', import.meta.url))
  if (!existsSync(build))
    throw new Error('The web app is not built. Run `npm test`, or `npx react-router build` in web/.')
  project.provide('browserPath', await findBrowser((line) => console.error(line)))
  const cluster = await openScratchCluster({ log: () => {} })
  await makeTemplate(cluster.url)
  project.provide('clusterUrl', cluster.url)
  return () => cluster.close()
}
