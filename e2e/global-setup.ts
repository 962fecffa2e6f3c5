import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openCluster from '@x-automated/server/test/global-setup.ts'
import type { TestProject } from 'vitest/node'
import { findBrowser, findHeadlessShell, installOtherBrowsers } from '../tools/browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    browserPath: string
    /** For pages that don't need the extension. */
    headlessShellPath: string
  }
}

/** Finds the browsers, and starts the run's PostgreSQL. Each world clones its own database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const build = fileURLToPath(new URL('../web/build/pages.json', import.meta.url))
  if (!existsSync(build))
    throw new Error('The web app is not built. Run `npm test`, or `npx react-router build` in web/.')
  if (project.name === 'browsers') await installOtherBrowsers(console.error)
  else {
    const browser = await findBrowser(console.error)
    project.provide('browserPath', browser)
    project.provide('headlessShellPath', await findHeadlessShell(browser, console.error))
  }
  return openCluster(project)
}
