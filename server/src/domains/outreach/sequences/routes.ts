import { save } from '../../../core/sequences/changes.ts'
import { list, pause, resume, stop } from '../../../core/sequences/enrollments.ts'
import { find } from '../../../core/sequences/sequence.ts'
import { member, viewer } from '../../../operations.ts'
import { flight } from './flight.ts'
import { results } from './results.ts'

/** The steps of campaigns and their results. */
export const sequenceRoutes = {
  find: viewer.sequences.find.handler(({ context, input }) => find(context.db, context.actor, input.id)),
  save: member.sequences.save.handler(({ context, input }) => save(context.db, context.actor, input)),
  results: viewer.sequences.results.handler(({ context, input }) => results(context.db, context.actor, input.id)),
  flight: viewer.sequences.flight.handler(async ({ context, input }) => {
    const { past, next, account } = await flight(context.db, context.env, context.actor, input.id)
    const withPicture = (dot: (typeof past)[number]) => context.pictures.withLead(dot)
    return { past: past.map(withPicture), next: next.map(withPicture), account }
  }),
}

/** The people in campaigns. */
export const enrollmentRoutes = {
  list: viewer.enrollments.list.handler(async ({ context, input }) => {
    const { enrollments, ...page } = await list(context.db, context.actor, input)
    return { ...page, enrollments: enrollments.map((enrollment) => context.pictures.withLead(enrollment)) }
  }),
  pause: member.enrollments.pause.handler(async ({ context, input }) =>
    context.pictures.withLead(await pause(context.db, context.actor, input)),
  ),
  resume: member.enrollments.resume.handler(async ({ context, input }) =>
    context.pictures.withLead(await resume(context.db, context.env, context.actor, input)),
  ),
  stop: member.enrollments.stop.handler(async ({ context, input }) =>
    context.pictures.withLead(await stop(context.db, context.actor, input)),
  ),
}
