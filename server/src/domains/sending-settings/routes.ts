import { signedInApi } from '../../operations.ts'
import { find, saveBasis, saveOptOutWords, savePace } from './service.ts'

const api = signedInApi.sendingSettings

export const sendingSettingRoutes = {
  find: api.find.handler(({ context }) => find(context.db, context.env, context.actor)),
  savePace: api.savePace.handler(({ context, input }) => savePace(context.db, context.env, context.actor, input)),
  saveOptOutWords: api.saveOptOutWords.handler(({ context, input }) =>
    saveOptOutWords(context.db, context.env, context.actor, input.words),
  ),
  saveBasis: api.saveBasis.handler(({ context, input }) =>
    saveBasis(context.db, context.env, context.actor, input.required),
  ),
}
