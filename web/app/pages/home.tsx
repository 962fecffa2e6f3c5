import { Claims } from '../features/landing/claims'
import { EarlyAccess } from '../features/landing/early-access'
import { Faq } from '../features/landing/faq'
import { faqStructuredData } from '../features/landing/faq-answers'
import { FeatureCards } from '../features/landing/feature-cards'
import { FollowUpSection } from '../features/landing/follow-up-section'
import { Hero } from '../features/landing/hero'
import { ReferralRewards } from '../features/landing/referral-rewards'
import { WritingSection } from '../features/landing/writing-section'
import { pageMeta } from '../features/shell/page-meta'

export const meta = () => [
  ...pageMeta(
    'Automate your X outreach with AI',
    'Find the followers worth talking to, write one message, and let X-Automated send it at a human pace.',
  ),
  { 'script:ld+json': faqStructuredData },
]

/** The landing page. */
export default function Home() {
  return (
    <>
      <Hero />
      <Claims />
      <WritingSection />
      <FollowUpSection />
      <FeatureCards />
      <ReferralRewards />
      <Faq />
      <EarlyAccess />
    </>
  )
}
