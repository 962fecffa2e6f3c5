import { pageMeta } from '../../features/overview/shell/page-meta'
import { Claims } from '../../features/waitlist/landing/claims'
import { EarlyAccess } from '../../features/waitlist/landing/early-access'
import { Faq } from '../../features/waitlist/landing/faq'
import { faqStructuredData } from '../../features/waitlist/landing/faq-answers'
import { FeatureCards } from '../../features/waitlist/landing/feature-cards'
import { FinderSection } from '../../features/waitlist/landing/finder-section'
import { FollowUpSection } from '../../features/waitlist/landing/follow-up-section'
import { Hero } from '../../features/waitlist/landing/hero'
import { ReferralRewards } from '../../features/waitlist/landing/referral-rewards'
import { WritingSection } from '../../features/waitlist/landing/writing-section'

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
      <FinderSection />
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
