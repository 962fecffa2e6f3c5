import { admin, member } from '../../../operations.ts'
import { about, saveAbout } from './about.ts'
import { testProvider } from './drafts.ts'
import { lintMessage } from './lint-message.ts'
import { find as findProvider, remove as removeProvider, save as saveProvider, usage } from './provider.ts'

export const writerRoutes = {
  lint: member.writer.lint.handler(({ context, input }) => lintMessage(context.db, context.actor, input)),
  provider: member.writer.provider.handler(({ context }) => findProvider(context, context.actor)),
  saveProvider: admin.writer.saveProvider.handler(({ context, input }) => saveProvider(context, context.actor, input)),
  removeProvider: admin.writer.removeProvider.handler(({ context }) => removeProvider(context.db, context.actor)),
  testProvider: admin.writer.testProvider.handler(({ context, signal }) =>
    testProvider(context, context.actor, signal),
  ),
  about: member.writer.about.handler(({ context }) => about(context.db, context.actor)),
  saveAbout: admin.writer.saveAbout.handler(({ context, input }) => saveAbout(context.db, context.actor, input)),
  usage: member.writer.usage.handler(({ context, input }) => usage(context, context.actor, input)),
}
