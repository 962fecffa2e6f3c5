import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openCluster from '@x-automated/server/test/global-setup.ts'
import type { TestProject } from 'vitest/node'
import { findBrowser } from '../tools/browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    browserPath: string
  }
}

/** Finds a browser, and opens the PostgreSQL of the run; each world clones its own database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const build = fileURLToPath(new URL('../web/build/pages.json', import.meta.url))
  if (!existsSync(build))
    throw new Error('The web app is not built. Run `npm test`, or `npx react-router build` in web/.')
  project.provide('browserPath', await findBrowser((line) => console.error(line)))
  return openCluster(project)
}
