import { signedInApi } from '../../operations.ts'
import { find, saveBasis, saveLimits, saveOptOutWords } from './service.ts'

const api = signedInApi.sendingSettings

export const sendingSettingRoutes = {
  find: api.find.handler(({ context }) => find(context.db, context.env, context.actor)),
  saveLimits: api.saveLimits.handler(({ context, input }) => saveLimits(context.db, context.env, context.actor, input)),
  saveOptOutWords: api.saveOptOutWords.handler(({ context, input }) =>
    saveOptOutWords(context.db, context.env, context.actor, input.words),
  ),
  saveBasis: api.saveBasis.handler(({ context, input }) =>
    saveBasis(context.db, context.env, context.actor, input.required),
  ),
}
