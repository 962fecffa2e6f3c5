import { PLAN_LEVELS } from '@x-automated/contract/platform/plans'

const { free } = PLAN_LEVELS

/** Shown on the page and in its structured data. */
export const faq: readonly { question: string; answer: string }[] = [
  {
    question: 'How long does it take to set up?',
    answer:
      "You'll be set up within 15 minutes: connect your X account, pick a handle whose followers you want to reach, write one message, and launch. There's nothing to install unless you choose to send through the browser extension.",
  },
  {
    question: 'Is there a free tier?',
    answer: `Yes. It includes ${free.scrapedLeads} scraped leads and ${free.dms} direct messages a month on one X account, for as long as you like and without a card. Imported leads never count. Need more? Upgrade to Pro or Agency, monthly or yearly.`,
  },
  {
    question: 'Is my X account safe?',
    answer:
      'X allows automated messages to people who asked for them or messaged you first, and it can limit accounts that go beyond that. So you can record why each lead may be contacted and warm up a new account slowly. We send one message at a time, within your hours and your daily cap, and pause automatically when X tells us to slow down. No one can promise that X will never act, but we make it easy to stay within its rules.',
  },
  {
    question: 'What happens when someone replies or opts out?',
    answer:
      'A reply cancels everything still queued for that person, so you can take over. A word such as "stop" adds them to your suppression list: no one in your workspace can import, queue or message them until you remove them. No two campaigns message the same person unless you allow it.',
  },
  {
    question: 'What do you store, and can I export it?',
    answer:
      'We store your account and your work: leads, lists, campaigns and messages, and replies if you allow it. No tracking, no advertising, no sale of data. Your X access is encrypted. On your account page you can download all your data or permanently delete your account. The privacy policy lists what we keep and for how long.',
  },
]

/** https://schema.org/FAQPage */
export const faqStructuredData = {
  '@context': 'https://schema.org',
  '@type': 'FAQPage',
  mainEntity: faq.map(({ question, answer }) => ({
    '@type': 'Question',
    name: question,
    acceptedAnswer: { '@type': 'Answer', text: answer },
  })),
}
