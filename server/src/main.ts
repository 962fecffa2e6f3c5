import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runServer } = await import('./run.ts')

runServer(process.env)
