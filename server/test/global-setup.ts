import type { TestProject } from 'vitest/node'
import { openScratchCluster, type ScratchCluster } from './scratch-cluster.ts'
import { makeTemplate } from './template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    clusterUrl: string
  }
}

/** Kept outside this module, which Vitest loads once per project. */
const run = globalThis as { testCluster?: Promise<ScratchCluster> }

/**
 * Starts one PostgreSQL for the run, shared by all projects. Each test file clones its own database
 * from the template.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.testCluster ??= openCluster()
  const cluster = await run.testCluster
  project.provide('clusterUrl', cluster.url)
  return () => cluster.close()
}

async function openCluster(): Promise<ScratchCluster> {
  const cluster = await openScratchCluster({ log: () => {}, inMemory: true })
  await makeTemplate(cluster.url)
  return cluster
}
