import { owner } from '../../../operations.ts'
import { load, remove } from './sample-data.ts'

export const sampleDataRoutes = {
  load: owner.sampleData.load.handler(({ context }) => load(context, context.actor)),
  remove: owner.sampleData.remove.handler(({ context }) => remove(context.db, context.actor)),
}
