import { dirname } from 'node:path'

/** The root folder of the repository. */
export const root = dirname(import.meta.dirname)
