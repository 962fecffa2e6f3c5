import type { TestProject } from 'vitest/node'
import { openScratchCluster } from '../src/db/embedded.ts'
import { makeTemplate } from './template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    clusterUrl: string
  }
}

/** Starts one PostgreSQL for the run. Each test file clones its own database from the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await openScratchCluster({ log: () => {} })
  await makeTemplate(cluster.url)
  project.provide('clusterUrl', cluster.url)
  return () => cluster.close()
}
