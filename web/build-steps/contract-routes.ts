import { fileURLToPath } from 'node:url'
import { minifyContractRouter } from '@orpc/contract'
import type { Plugin } from 'vite'

const id = 'virtual:contract-routes'
const contractSources = fileURLToPath(new URL('../../contract/src/', import.meta.url))

/**
 * Serves `virtual:contract-routes`: the method and path of every API operation, as JSON. Keeps
 * schemas and zod out of the bundle.
 */
export function contractRoutes(): Plugin {
  return {
    name: 'contract-routes',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(source) {
      if (source !== `\0${id}`) return
      // The query string bypasses the module cache, so that the dev server loads a changed contract.
      const { contract } = await import(`${contractSources}contract.ts?at=${Date.now()}`)
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(minifyContractRouter(contract)))})`
    },
    handleHotUpdate({ file, server }) {
      if (!file.startsWith(contractSources)) return
      const module = server.moduleGraph.getModuleById(`\0${id}`)
      if (module) server.moduleGraph.invalidateModule(module)
      server.ws.send({ type: 'full-reload' })
    },
  }
}
