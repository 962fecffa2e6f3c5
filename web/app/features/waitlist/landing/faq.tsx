import { SUPPORT, supportOf } from '@x-automated/contract/platform/support'
import { Plus } from 'lucide-react'
import { supportAddress } from '../../../product-address'
import { faq } from './faq-answers'

const answerOf = (...plan: Parameters<typeof supportOf>) => SUPPORT[supportOf(...plan)].firstAnswer

/** Frequently asked questions; they open without JavaScript. */
export function Faq() {
  const support = supportAddress()
  return (
    <section aria-labelledby="faq" className="border-t border-line">
      <div className="page-width grid gap-8 py-16 md:py-24 lg:grid-cols-[1fr_2fr] lg:gap-20">
        <div className="grid content-start gap-3">
          <h2 id="faq" className="text-3xl">
            Frequently asked questions
          </h2>
          <p className="text-base text-muted">
            Something else? Write to{' '}
            <a href={`mailto:${support}`} className="text-link">
              {support}
            </a>{' '}
            at any time. A real person answers: on Agency Yearly within {answerOf('agency', 'yearly')} (24/7 support),
            on Agency and Pro Yearly within {answerOf('agency', 'monthly')}, on Pro within {answerOf('pro', 'monthly')},
            and on Free as soon as we can.
          </p>
        </div>
        <div className="border-t border-line">
          {faq.map(({ question, answer }) => (
            <details key={question} className="group border-b border-line">
              <summary className="flex list-none items-center justify-between gap-4 rounded-md py-4 text-base font-strong [&::-webkit-details-marker]:hidden">
                {question}
                <Plus aria-hidden className="size-4 shrink-0 text-muted transition-transform group-open:rotate-45" />
              </summary>
              <p className="max-w-2xl pb-5 text-base text-muted">{answer}</p>
            </details>
          ))}
        </div>
      </div>
    </section>
  )
}
