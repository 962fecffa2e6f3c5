import { member, viewer } from '../../../operations.ts'
import { find, save } from './service.ts'
import { list, pause, resume, stop } from './service-enrollments.ts'
import { flight } from './service-flight.ts'
import { results } from './service-results.ts'

/** The steps of campaigns and their results. */
export const sequenceRoutes = {
  find: viewer.sequences.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  save: member.sequences.save.handler(({ context, input }) => save(context.db, context.actor, input)),
  results: viewer.sequences.results.handler(({ context, input }) => results(context.db, context.actor, input.id)),
  flight: viewer.sequences.flight.handler(({ context, input }) =>
    flight(context.db, context.env, context.actor, input.id),
  ),
}

/** The people in campaigns. */
export const enrollmentRoutes = {
  list: viewer.enrollments.list.handler(({ context, input }) => list(context.db, context.actor, input)),
  pause: member.enrollments.pause.handler(({ context, input }) => pause(context.db, context.actor, input)),
  resume: member.enrollments.resume.handler(({ context, input }) => resume(context.db, context.actor, input)),
  stop: member.enrollments.stop.handler(({ context, input }) => stop(context.db, context.actor, input)),
}
