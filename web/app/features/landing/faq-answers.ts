import { PLAN_LEVELS } from '@x-automated/contract/plans'

const { free } = PLAN_LEVELS

/** What people ask before they sign up. The page shows it, and its structured data says the same to search engines. */
export const faq: readonly { question: string; answer: string }[] = [
  {
    question: 'How long does it take to set up?',
    answer:
      'You are set up within 15 minutes: connect your X account, name a handle whose followers you want to meet, write one message, and launch. Nothing has to be installed unless you choose to send through the browser extension.',
  },
  {
    question: 'Is there a free tier?',
    answer: `Yes. It includes ${free.scrapedLeads} scraped leads and ${free.dms} direct messages a month on one X account, for as long as you like and without a card. Leads that you import are never counted. When you need more, Pro and Agency are there, monthly or yearly.`,
  },
  {
    question: 'Is my X account safe?',
    answer:
      'X allows automated messages to people who asked for them or wrote to you first, and it can limit accounts that go beyond that. So we record why each lead may be contacted, send one message at a time within your hours and your daily cap, warm new accounts up slowly, and pause by ourselves when X asks for it. Nobody can promise that X will never act; we make it easy to stay within its rules.',
  },
  {
    question: 'What happens when somebody answers, or wants no messages?',
    answer:
      'A reply stops whatever is still queued for that person, so that you can take over. A word such as "stop" puts them on your suppression list: they are left out of imports, queues and sends in the whole workspace until you take them off it. No two campaigns write to the same person unless you say so.',
  },
  {
    question: 'What do you store, and can I take it with me?',
    answer:
      'Your account, your leads and your messages, and nothing to follow you with: no tracking, no advertising, no sale of data. Access to X is kept encrypted. You can download what is yours in one archive, or delete your account at once and for good, on your account page. The privacy policy names each thing and how long it is kept.',
  },
]

/** The same for search engines. https://schema.org/FAQPage */
export const faqStructuredData = {
  '@context': 'https://schema.org',
  '@type': 'FAQPage',
  mainEntity: faq.map(({ question, answer }) => ({
    '@type': 'Question',
    name: question,
    acceptedAnswer: { '@type': 'Answer', text: answer },
  })),
}
